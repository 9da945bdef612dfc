#!/bin/bash
# Random networks compute on Vulkan what the reference computes, at three sizes each: the same ones
# in every run.
set -euo pipefail
"$1" --target=vulkan --count=60 --seed=910001 --steps=20
"$1" --target=vulkan --precision=f16 --count=20 --seed=920001 --steps=12
