# Sourced by unpack.sh and update.sh: package lists of our own, kept beside the cache, so that
# neither root nor a recent `apt-get update` of the machine is needed.

# The content-addressed cache of .deb files (debs/SHA256), shared by all checkouts of a user.
TESSERA_CACHE="${XDG_CACHE_HOME:-${HOME:?neither XDG_CACHE_HOME nor HOME is set}/.cache}/tessera"

# Fetches the lists of the machine's own package sources. Prints nothing unless it fails.
refresh_private_lists() {
  mkdir -p "$TESSERA_CACHE/apt/lists/partial" "$TESSERA_CACHE/apt/archives/partial"
  # Bazel fetches several repositories at a time.
  flock "$TESSERA_CACHE/apt/lock" apt-get "${PRIVATE_LISTS[@]}" -qq update >/dev/null
}

# Options that make apt-get and apt-cache use those lists.
PRIVATE_LISTS=(
  -o "Dir::State::Lists=$TESSERA_CACHE/apt/lists"
  -o "Dir::Cache=$TESSERA_CACHE/apt"
  -o "APT::Sandbox::User="
)
