# ONNX models of a node or two, for tests of the tools: fields of protobuf messages, in text without
# zero bytes.
export LC_ALL=C
varint() {
  local rest="$1"
  for (( ; rest > 127; rest >>= 7)); do printf "\\x$(printf %02x $((rest & 127 | 128)))"; done
  printf "\\x$(printf %02x "$rest")"
}
tag() { varint $(($1 << 3 | $2)); }
bytes() { tag "$1" 2 && varint ${#2} && printf %s "$2"; }
number() { tag "$1" 0 && varint "$2"; }
# Of an input and a constant, which lies in the file $3, or `weights`. $1: the operation's type, $2:
# how many elements.
small_model() {
  local type tensor io place="${3:-weights}"
  type="$(bytes 2 "$(bytes 1 "$(number 1 "$2")")")"
  type="$(bytes 2 "$(bytes 1 "$(number 1 1)$type")")"
  tensor="$(number 1 "$2")$(number 2 1)$(bytes 8 w)$(bytes 13 "$(bytes 1 location)$(bytes 2 "$place")")$(number 14 1)"
  io="$(bytes 11 "$(bytes 1 x)$type")$(bytes 12 "$(bytes 1 y)$type")"
  number 1 8
  bytes 7 "$(bytes 1 "$(bytes 1 x)$(bytes 1 w)$(bytes 2 y)$(bytes 3 node)$(bytes 4 "$1")")$(bytes 2 g)$(bytes 5 "$tensor")$io"
  bytes 8 "$(number 2 13)"
}
# A MaxPool of windows of 5 over an axis `L`.
pool_model() {
  local type shape kernel
  shape="$(bytes 1 "$(number 1 1)")$(bytes 1 "$(number 1 1)")$(bytes 1 "$(bytes 2 L)")"
  type="$(bytes 2 "$(bytes 1 "$(number 1 1)$(bytes 2 "$shape")")")"
  kernel="$(bytes 1 kernel_shape)$(number 8 5)$(number 20 7)"
  number 1 8
  bytes 7 "$(bytes 1 "$(bytes 1 x)$(bytes 2 y)$(bytes 3 node)$(bytes 4 MaxPool)$(bytes 5 "$kernel")")$(bytes 2 g)$(bytes 11 "$(bytes 1 x)$type")$(bytes 12 "$(bytes 1 y)")"
  bytes 8 "$(number 2 13)"
}
# The outer product of inputs `a` [L, 1] and `b` [1, L].
outer_model() {
  local one symbol a b
  one="$(bytes 1 "$(number 1 1)")" symbol="$(bytes 1 "$(bytes 2 L)")"
  a="$(bytes 2 "$(bytes 1 "$(number 1 1)$(bytes 2 "$symbol$one")")")"
  b="$(bytes 2 "$(bytes 1 "$(number 1 1)$(bytes 2 "$one$symbol")")")"
  number 1 8
  bytes 7 "$(bytes 1 "$(bytes 1 a)$(bytes 1 b)$(bytes 2 y)$(bytes 3 node)$(bytes 4 Mul)")$(bytes 2 g)$(bytes 11 "$(bytes 1 a)$a")$(bytes 11 "$(bytes 1 b)$b")$(bytes 12 "$(bytes 1 y)")"
  bytes 8 "$(number 2 13)"
}
# An input of one element, expanded to the dims $@, and a Tanh of it.
expand_model() {
  local type dims="" dim
  type="$(bytes 2 "$(bytes 1 "$(number 1 1)$(bytes 2 "$(bytes 1 "$(number 1 1)")")")")"
  for dim in "$@"; do dims+="$(number 7 "$dim")"; done
  number 1 8
  bytes 7 "$(bytes 1 "$(bytes 1 x)$(bytes 1 dims)$(bytes 2 v)$(bytes 3 widen)$(bytes 4 Expand)")$(bytes 1 "$(bytes 1 v)$(bytes 2 y)$(bytes 3 node)$(bytes 4 Tanh)")$(bytes 2 g)$(bytes 5 "$(number 1 $#)$(number 2 7)$dims$(bytes 8 dims)")$(bytes 11 "$(bytes 1 x)$type")$(bytes 12 "$(bytes 1 y)")"
  bytes 8 "$(number 2 13)"
}
