"""The targets that programs link."""

# In the order in which users see them; the first is the default. A target is `//targets/NAME:target`,
# which defines `const targets::Target& tessera::NAME::TheTarget()`.
TARGETS = [
    "circle",
    "npu",
    "vulkan",
]
