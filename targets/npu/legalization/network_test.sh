#!/bin/bash
# A network's plan for a device computes in floats what the network does, without the host between
# layers.
set -euo pipefail
out="$("$1" "$2" --device="$3")" || { echo "$out"; exit 1; }
echo "$out"
grep -q " on the device, 0 on the host" <<<"$out" || { echo "the host has to compute"; exit 1; }
! grep -E "device +(Transpose|Gather|PickedEntries|InterleaveLayer|DeinterleaveLayer)" <<<"$out"
