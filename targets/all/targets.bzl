"""The targets that programs link."""

# In the order in which users see them; the first is the default. A target is `//targets/NAME:target`,
# which defines `const targets::Target& tessera::NAME::TheTarget()`.
TARGETS = [
    "circle",
    "npu",
    "vulkan",
]

# The flag that names the runtime or device an artifact is for, by target.
PLACE_FLAGS = {
    "circle": "runtime",
    "npu": "npu-device",
}

# Those that measure ranges of values on given inputs.
CALIBRATED = ["npu"]

# What the artifacts' files of those end in that do not end in their names; a test compares this with
# what the targets say themselves.
SUFFIXES = {"vulkan": "tvk"}
