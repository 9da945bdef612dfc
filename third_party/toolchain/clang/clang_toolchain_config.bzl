"""Clang 16 of @debian_clang over the headers and libraries of @debian_sysroot."""

load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "with_feature_set",
)
load(
    "//third_party/toolchain:cc_toolchain_config.bzl",
    "COMPILE",
    "CPP_COMPILE",
    "LIBRARY_DIRECTORIES",
    "LINK",
    "REDACTED",
    "SYSROOT",
)

_INCLUDE_DIRECTORIES = [
    SYSROOT + "usr/include/c++/12",
    SYSROOT + "usr/include/x86_64-linux-gnu/c++/12",
    SYSROOT + "usr/include/c++/12/backward",
    "external/debian_clang/usr/lib/llvm-16/lib/clang/16/include",
    SYSROOT + "usr/include/x86_64-linux-gnu",
    SYSROOT + "usr/include",
]

# Of the feature: what it is compiled and linked with.
_INSTRUMENTED = {
    "asan": "address",
    # Coverage; the binary that has libFuzzer's main says so itself.
    "fuzzer": "fuzzer-no-link",
    "ubsan": "undefined",
}

def _flags(actions, flags, with_features = []):
    return flag_set(
        actions = actions,
        flag_groups = [flag_group(flags = flags)],
        with_features = [with_feature_set(features = [name]) for name in with_features],
    )

def _impl(ctx):
    default_flags = feature(
        name = "default_flags",
        enabled = True,
        flag_sets = [
            # The other compiler's warnings are errors; a second opinion would be of little use.
            _flags(COMPILE, ["-nostdinc", "-no-canonical-prefixes", "-w"] + REDACTED),
            _flags(COMPILE, ["-O1", "-g1", "-fno-omit-frame-pointer"]),
            _flags(CPP_COMPILE, ["-std=c++20", "-nostdinc++"]),
            _flags(COMPILE, [
                flag
                for directory in _INCLUDE_DIRECTORIES
                for flag in ["-isystem", directory]
            ]),
            _flags(
                LINK,
                [
                    "--sysroot=" + SYSROOT,
                    "--gcc-install-dir=" + SYSROOT + "usr/lib/gcc/x86_64-linux-gnu/12",
                ] +
                ["-B" + directory for directory in LIBRARY_DIRECTORIES] +
                ["-L" + directory for directory in LIBRARY_DIRECTORIES] +
                [
                    "-fuse-ld=gold",
                    "-no-canonical-prefixes",
                    "-Wl,--disable-new-dtags",
                ],
            ),
            # Types at run time are in the part of ubsan's library that is for C++, and `clang`, as
            # Bazel calls it for either language, leaves that out.
            _flags(LINK, ["-fsanitize-link-c++-runtime"], ["ubsan"]),
        ],
    )
    instrumented = [
        feature(
            name = name,
            flag_sets = [
                _flags(COMPILE + LINK, ["-fsanitize=" + sanitizer]),
                # Else undefined behaviour is told and goes on.
                _flags(COMPILE, ["-fno-sanitize-recover=all"]),
            ],
        )
        for name, sanitizer in _INSTRUMENTED.items()
    ]
    libraries = feature(
        name = "language_libraries",
        enabled = True,
        flag_sets = [_flags(LINK, ["-lstdc++", "-lm", "-pthread"])],
    )
    programs = {
        "ar": "/usr/bin/x86_64-linux-gnu-ar",
        "cpp": "clang.sh",
        "gcc": "clang.sh",
        "gcov": "/bin/false",
        "ld": "/usr/bin/x86_64-linux-gnu-ld.gold",
        "nm": "/usr/bin/x86_64-linux-gnu-nm",
        "objcopy": "/usr/bin/x86_64-linux-gnu-objcopy",
        "objdump": "/usr/bin/x86_64-linux-gnu-objdump",
        "strip": "/usr/bin/x86_64-linux-gnu-strip",
    }
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = "clang_16_linux_x86_64",
        host_system_name = "linux",
        target_system_name = "linux",
        target_cpu = "k8",
        target_libc = "glibc_2.36",
        compiler = "clang",
        abi_version = "gcc",
        abi_libc_version = "glibc_2.36",
        cxx_builtin_include_directories = [
            "%workspace%/" + directory
            for directory in _INCLUDE_DIRECTORIES
        ],
        tool_paths = [tool_path(name = name, path = path) for name, path in programs.items()],
        features = [
            feature(name = "fastbuild"),
            feature(name = "opt"),
            feature(name = "dbg"),
            default_flags,
            libraries,
        ] + instrumented,
    )

clang_toolchain_config = rule(
    implementation = _impl,
    provides = [CcToolchainConfigInfo],
)
