# Checks the edges of a dependency graph (of `bazel query --output=graph`) against a table of rooms.
# The first file holds the table, one rule a line, fields separated by tabs:
#   sees   ROOM   ROOM-OR-LABEL   a target of the one may depend on a target of the other, or on it
#   never  ROOM   ROOM-OR-LABEL   nor may it through others
# A room is a folder with all below it but the rooms therein.

function package(label) {
  sub(/^\/\//, "", label)
  sub(/:.*/, "", label)
  return label
}

# The room of a label of ours, by the longest folder; a label of others is a room of its own.
function room(label, folder) {
  if (label ~ /^@/) return label
  folder = package(label)
  while (folder != "" && !(folder in rooms)) {
    if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
  }
  return folder
}

function allowed(name, list, count) {
  count = split(list, each, " ")
  while (count > 0) if (each[count--] == name) return 1
  return 0
}

FNR == NR {
  rooms[$2] = 1
  if ($1 == "sees") sees[$2, $3] = 1
  if ($1 == "never") { never[$2] = never[$2] " " $3 }
  next
}

/^  "[^"]*"$/ {
  node = $1
  gsub(/"/, "", node)
  nodes[node] = 1
}

/^  "[^"]*" -> "[^"]*"$/ {
  from = $1
  to = $3
  gsub(/"/, "", from)
  gsub(/"/, "", to)
  if (from ~ /^@/) next
  edges[from] = edges[from] " " to
  a = room(from)
  b = room(to)
  if (a == "" || b == "") next
  if (a != b && !((a, b) in sees) && !((a, to) in sees)) {
    printf "%s depends on %s, and `%s` may not see `%s`\n", from, to, a, b
    failed = 1
  }
}

END {
  for (node in nodes) {
    home = room(node)
    if (node !~ /^@/ && home == "" && !((package(node)) in told)) {
      printf "%s is in no room: add its folder to the table\n", node
      told[package(node)] = 1
      failed = 1
    }
    if (node ~ /^@/ || !(home in never)) continue
    # Breadth first, so that the path that is shown is a shortest one.
    delete came_from
    n = 0
    queue[n++] = node
    came_from[node] = ""
    for (i = 0; i < n; ++i) {
      at = queue[i]
      if (at != node && allowed(room(at), never[home])) {
        path = at
        while ((at = came_from[at]) != "") path = at " -> " path
        printf "`%s` must never reach `%s`: %s\n", home, room(queue[i]), path
        failed = 1
        break
      }
      count = split(edges[at], next_ones, " ")
      for (k = 1; k <= count; ++k) {
        if (!(next_ones[k] in came_from)) {
          came_from[next_ones[k]] = at
          queue[n++] = next_ones[k]
        }
      }
    }
  }
  exit failed
}
