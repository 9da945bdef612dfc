"""Where a test finds a Vulkan driver: on the CPU, the same on every machine."""

_LIBRARIES = "../debian_lavapipe/usr/lib/x86_64-linux-gnu:../debian_lavapipe/lib/x86_64-linux-gnu"

# For `data` and `env` of a test.
LAVAPIPE_DATA = ["@debian_lavapipe//:driver"]

LAVAPIPE_ENV = {
    "LD_LIBRARY_PATH": _LIBRARIES,
    "TESSERA_CACHE": "",  # nothing from one test to another
    "VK_ICD_FILENAMES": "../debian_lavapipe/usr/share/vulkan/icd.d/lavapipe.json",
}

# The same, without what the driver itself does not free. Objects of Vulkan that we do not are found
# by the layers below.
LEAKS_DATA = LAVAPIPE_DATA + ["//targets/vulkan/testing:driver_leaks.txt"]

LEAKS_ENV = dict(
    LAVAPIPE_ENV,
    LSAN_OPTIONS = "suppressions=targets/vulkan/testing/driver_leaks.txt",
)

# The same, with the layers that check how Vulkan is used. They say on standard output what they
# find.
VALIDATION_DATA = LAVAPIPE_DATA + [
    "//targets/vulkan/testing:validation_layer.sh",
    "//targets/vulkan/testing:validation_leaks.txt",
    "@debian_lavapipe//:validation_layer",
]

VALIDATION_ENV = dict(
    LAVAPIPE_ENV,
    LSAN_OPTIONS = "suppressions=targets/vulkan/testing/validation_leaks.txt",
    VK_INSTANCE_LAYERS = "VK_LAYER_KHRONOS_validation",
    VK_LAYER_ENABLES = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
    VK_LAYER_PATH = "../debian_lavapipe/usr/share/vulkan/explicit_layer.d",
)

# The same, with a check of every access of a shader in the place of that of hazards.
BOUNDS_ENV = dict(
    VALIDATION_ENV,
    VK_LAYER_ENABLES = "VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT",
)
