"""Targets that take bytes from anyone: a seeded run in the suite, and libFuzzer by hand."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def _instrumented_impl(_settings, _attr):
    return {
        "//command_line_option:compilation_mode": "fastbuild",
        "//command_line_option:extra_toolchains": ["//third_party/toolchain/clang:linux_x86_64"],
        "//command_line_option:features": ["asan", "fuzzer", "ubsan"],
        "//command_line_option:strip": "never",
    }

_instrumented = transition(
    implementation = _instrumented_impl,
    inputs = [],
    outputs = [
        "//command_line_option:compilation_mode",
        "//command_line_option:extra_toolchains",
        "//command_line_option:features",
        "//command_line_option:strip",
    ],
)

_LAUNCH = """#!/bin/bash
# Runs from the folder of the runfiles. What libFuzzer keeps goes into the first folder that is
# named, or nowhere.
set -euo pipefail
for arg in "$@"; do [[ "$arg" == -* ]] || named=1; done
kept=()
if [[ -z "${{named:-}}" ]]; then
  kept=("$(mktemp -d)")
  trap 'rm -rf "${{kept[0]}}"' EXIT
fi
args=()
for arg in "$@"; do
  [[ "$arg" == -* || "$arg" == /* ]] || arg="${{BUILD_WORKING_DIRECTORY:-.}}/$arg"
  args+=("$arg")
done
export UBSAN_OPTIONS="${{UBSAN_OPTIONS:-print_stacktrace=1}}"
"{binary}" -dict="{dictionary}" -artifact_prefix="${{BUILD_WORKING_DIRECTORY:-.}}/" \\
  -timeout=20 -rss_limit_mb=4096 {options} "${{args[@]}}" "${{kept[@]}}" {corpus}
"""

def _fuzzer_impl(ctx):
    binary = ctx.attr.binary[0][DefaultInfo].files_to_run.executable
    launch = ctx.actions.declare_file(ctx.label.name)
    folders = {file.dirname: None for file in ctx.files.corpus}
    ctx.actions.write(launch, _LAUNCH.format(
        binary = binary.short_path,
        corpus = " ".join(sorted(folders)),
        dictionary = ctx.file.dictionary.short_path,
        options = " ".join(ctx.attr.options),
    ), is_executable = True)
    files = [binary, ctx.file.dictionary] + ctx.files.corpus
    runfiles = ctx.runfiles(files = files).merge(ctx.attr.binary[0][DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = launch, runfiles = runfiles)]

_fuzzer = rule(
    implementation = _fuzzer_impl,
    doc = "The binary under clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.",
    executable = True,
    attrs = {
        "binary": attr.label(cfg = _instrumented, mandatory = True),
        "corpus": attr.label_list(allow_files = True),
        "dictionary": attr.label(allow_single_file = True, mandatory = True),
        "options": attr.string_list(),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

def fuzz_target(name, deps, srcs = [], hdrs = [], corpus = [], data = [], runs = 2000, options = []):
    """`:NAME` to run by hand, `:NAME_test` in the suite.

    Args:
      name: of the target; targets/NAME.cc defines it, dictionaries/NAME.dict has its words
      deps: of its source
      srcs: further sources
      hdrs: their headers
      corpus: files of seeds
      data: what its seeds are made of otherwise
      runs: of the test
      options: of libFuzzer, such as `-max_len=4096`
    """
    dictionary = "dictionaries/%s.dict" % name
    cc_library(
        name = name + "_target",
        testonly = True,
        srcs = ["targets/%s.cc" % name] + srcs,
        hdrs = hdrs,
        data = data,
        deps = deps + [":target"],
    )
    cc_test(
        name = name + "_test",
        size = "small",
        srcs = ["targets/driver.cc"],
        args = [
            "-runs=%d" % runs,
            "-dict=$(location %s)" % dictionary,
        ] + ["$(locations %s)" % files for files in corpus],
        data = [dictionary] + corpus,
        deps = [
            ":%s_target" % name,
            "@debian//:absl",
        ],
    )
    cc_binary(
        name = name + "_libfuzzer",
        testonly = True,
        srcs = ["targets/libfuzzer.cc"],
        linkopts = ["-fsanitize=fuzzer"],
        # By the compiler that the transition chooses, and no other.
        tags = ["manual"],
        deps = [":%s_target" % name],
    )
    _fuzzer(
        name = name,
        testonly = True,
        binary = ":%s_libfuzzer" % name,
        corpus = corpus,
        dictionary = dictionary,
        options = options,
        tags = ["manual"],
    )
