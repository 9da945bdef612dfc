#!/bin/bash
# The kernels of random networks read and write nothing outside of what they bind: Vulkan's
# validation layer looks at each access while they run.
set -uo pipefail
source targets/vulkan/testing/validation_layer.sh
checked "$1" --target=vulkan --count=4 --seed=970001 --steps=5
