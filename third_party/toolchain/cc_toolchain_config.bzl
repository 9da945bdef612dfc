"""GCC 12 of the machine over the headers and libraries of @debian_sysroot."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "env_entry",
    "env_set",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "with_feature_set",
)

SYSROOT = "external/debian_sysroot/"
_GCC = SYSROOT + "usr/lib/gcc/x86_64-linux-gnu/12/"

COMPILE = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.cpp_module_codegen,
    ACTION_NAMES.cpp_module_compile,
    ACTION_NAMES.linkstamp_compile,
    ACTION_NAMES.preprocess_assemble,
]

CPP_COMPILE = [
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.linkstamp_compile,
]

LINK = [
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_executable,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]

# The machine's own directories are turned off; these, in GCC's own order, take their place.
_INCLUDE_DIRECTORIES = [
    SYSROOT + "usr/include/c++/12",
    SYSROOT + "usr/include/x86_64-linux-gnu/c++/12",
    SYSROOT + "usr/include/c++/12/backward",
    _GCC + "include",
    SYSROOT + "usr/include/x86_64-linux-gnu",
    SYSROOT + "usr/include",
]

LIBRARY_DIRECTORIES = [
    _GCC,
    SYSROOT + "usr/lib/x86_64-linux-gnu",
    SYSROOT + "lib/x86_64-linux-gnu",
]

# Paths of the machine or of the sandbox must not reach an object file.
REDACTED = [
    "-Wno-builtin-macro-redefined",
    "-D__DATE__=\"redacted\"",
    "-D__TIME__=\"redacted\"",
    "-D__TIMESTAMP__=\"redacted\"",
    "-ffile-prefix-map=/proc/self/cwd=.",
]

_COMPILE_FLAGS = [
    "-nostdinc",
    "-no-canonical-prefixes",
    "-fno-canonical-system-headers",
    # The same objects go into programs and into //python:module.
    "-fPIC",
] + REDACTED

_WARNING_FLAGS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    # Designated initializers leave members out on purpose.
    "-Wno-missing-field-initializers",
    # GCC 12 reports these for correct code of its own library, inlined into ours.
    "-Wno-array-bounds",
    "-Wno-dangling-pointer",
    "-Wno-maybe-uninitialized",
    "-Wno-restrict",
    "-Wno-stringop-overflow",
    "-Wno-stringop-overread",
]

_INCLUDE_FLAGS = [
    flag
    for directory in _INCLUDE_DIRECTORIES
    for flag in ["-isystem", directory]
]

# What a compile of C++ in fastbuild has, but for its files and folders: GCC takes a precompiled
# header only where that was made with the same.
PRECOMPILE_FLAGS = _COMPILE_FLAGS + ["-std=c++20", "-nostdinc++"] + _INCLUDE_FLAGS + ["-O2"]

# The sanitizers' run-time libraries are linked statically: the machine need not have them.
_SANITIZERS = {
    "asan": ["address"],
    "tsan": ["thread"],
    "ubsan": ["undefined"],
}

# Of the sanitizers that one build has together, for a compile without tables for debuggers.
TOGETHER = ["asan", "ubsan"]

# Memory that GCC takes before it looks for garbage, in KiB: a seventh less time for each source, the
# same code.
_MEMORY_FLAGS = ["--param=ggc-min-heapsize=1000000"]

def _flags(actions, flags, with_features = []):
    return flag_set(
        actions = actions,
        flag_groups = [flag_group(flags = flags)],
        with_features = [with_feature_set(features = [name]) for name in with_features],
    )

def _instrumentation(name):
    flags = ["-fsanitize=" + ",".join(_SANITIZERS[name]), "-fno-omit-frame-pointer", "-g1", "-O1"]
    return flags + (["-fno-sanitize-recover=all"] if name == "ubsan" else [])

# Programs that the whole suite starts a thousand times: without tables for debuggers, and what is
# undefined ends the program where it stands, without a text about it. (The texts' places are twelve
# million addresses in each tool, which are put right whenever one begins.)
TERSE = "terse_reports"
_TERSE_FLAGS = ["-g0", "-fsanitize-undefined-trap-on-error"]

# Of a compile in fastbuild with the sanitizers of TOGETHER and TERSE; its level of optimization is
# still to come.
SANITIZED_PRECOMPILE_FLAGS = _COMPILE_FLAGS + ["-std=c++20", "-nostdinc++"] + _INCLUDE_FLAGS + [
    flag
    for name in TOGETHER
    for flag in _instrumentation(name)
] + _TERSE_FLAGS

def _sanitizer(name, sanitizers):
    return feature(
        name = name,
        flag_sets = [
            _flags(COMPILE, _instrumentation(name)),
            _flags(LINK, ["-fsanitize=" + ",".join(sanitizers), "-static-lib" + name]),
        ],
    )

def _impl(ctx):
    default_flags = feature(
        name = "default_flags",
        enabled = True,
        flag_sets = [
            _flags(COMPILE, _COMPILE_FLAGS + _WARNING_FLAGS + _MEMORY_FLAGS),
            _flags(CPP_COMPILE, ["-std=c++20", "-nostdinc++"]),
            _flags(COMPILE, _INCLUDE_FLAGS),
            _flags(COMPILE, ["-O2"], ["fastbuild"]),
            _flags(COMPILE, ["-DNDEBUG"], ["opt"]),
            _flags(COMPILE, ["-g"], ["dbg"]),
            _flags(
                LINK,
                ["--sysroot=" + SYSROOT] +
                ["-B" + directory for directory in LIBRARY_DIRECTORIES] +
                ["-L" + directory for directory in LIBRARY_DIRECTORIES] +
                [
                    "-fuse-ld=gold",
                    "-no-canonical-prefixes",
                    "-Wl,-z,relro,-z,now",
                    # The search path of the program then holds for its libraries' libraries too.
                    "-Wl,--disable-new-dtags",
                ],
            ),
            _flags(LINK, ["-Wl,-s"], ["opt"]),
        ],
        env_sets = [
            env_set(
                actions = COMPILE + LINK,
                # The compiler is no input of an action, so its version is.
                env_entries = [env_entry(key = "MACHINE_COMPILER", value = ctx.attr.versions)],
            ),
        ],
    )

    # Flags of targets and of single files come after those of the toolchain: .bazelrc saves
    # optimization where it gains nothing. What is shipped (opt) takes all of it, and a debugger none,
    # all the same.
    user_compile_flags = feature(
        name = "user_compile_flags",
        enabled = True,
        flag_sets = [flag_set(
            actions = COMPILE,
            flag_groups = [flag_group(
                flags = ["%{user_compile_flags}"],
                iterate_over = "user_compile_flags",
                expand_if_available = "user_compile_flags",
            )],
        )],
    )
    optimization_of_mode = feature(
        name = "optimization_of_mode",
        enabled = True,
        flag_sets = [
            _flags(COMPILE, ["-O2"], ["opt"]),
            _flags(COMPILE, ["-O0"], ["dbg"]),
        ],
    )

    # Only where the flags are those that it was made with.
    precompiled_headers = feature(
        name = "precompiled_headers",
        enabled = True,
        flag_sets = [flag_set(
            actions = [ACTION_NAMES.cpp_compile],
            flag_groups = [flag_group(flags = ["-include", [
                file.path
                for file in ctx.files.precompiled_header
                if file.extension == "h"
            ][0]])],
            with_features = [with_feature_set(
                features = ["fastbuild"] + (ctx.attr.sanitizers + [TERSE] if ctx.attr.sanitizers else []),
                not_features = [name for name in _SANITIZERS if name not in ctx.attr.sanitizers],
            )],
        )],
    )

    terse_reports = feature(
        name = TERSE,
        flag_sets = [
            _flags(COMPILE, _TERSE_FLAGS),
            _flags([ACTION_NAMES.cpp_link_executable], ["-no-pie"]),
        ],
    )

    # Bazel appends the user's libraries after default_flags; GCC's own come last of all.
    libraries = feature(
        name = "language_libraries",
        enabled = True,
        flag_sets = [_flags(LINK, ["-lstdc++", "-lm", "-pthread"])],
    )
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = "gcc_12_linux_x86_64",
        host_system_name = "linux",
        target_system_name = "linux",
        target_cpu = "k8",
        target_libc = "glibc_2.36",
        compiler = "gcc",
        abi_version = "gcc",
        abi_libc_version = "glibc_2.36",
        # Relative to the execution root, hence the same in each sandbox and on each machine.
        cxx_builtin_include_directories = [
            "%workspace%/" + directory
            for directory in _INCLUDE_DIRECTORIES
        ],
        tool_paths = [tool_path(name = name, path = path) for name, path in ctx.attr.programs.items()],
        features = [
            feature(name = "fastbuild"),
            feature(name = "opt"),
            feature(name = "dbg"),
            default_flags,
            precompiled_headers,
        ] + [_sanitizer(name, sanitizers) for name, sanitizers in _SANITIZERS.items()] + [
            terse_reports,
            user_compile_flags,
            optimization_of_mode,
            libraries,
        ],
    )

cc_toolchain_config = rule(
    implementation = _impl,
    attrs = {
        "precompiled_header": attr.label(
            mandatory = True,
            allow_files = True,
            cfg = "exec",  # as cc_toolchain has its compiler_files
            doc = "what each compile of C++ starts with",
        ),
        "programs": attr.string_dict(
            mandatory = True,
            doc = "Bazel's name of each tool, and its path",
        ),
        "sanitizers": attr.string_list(
            doc = "all of them that a compile has which takes the precompiled header",
        ),
        "versions": attr.string(
            mandatory = True,
            doc = "what identifies the compiler: a change of it invalidates all actions",
        ),
    },
    provides = [CcToolchainConfigInfo],
)
