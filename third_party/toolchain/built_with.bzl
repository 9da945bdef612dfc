"""One program built in another mode than the rest, to see that the mode works."""

def _mode_impl(_settings, attr):
    return {
        "//command_line_option:compilation_mode": attr.mode,
        "//command_line_option:features": [attr.sanitizer] if attr.sanitizer else [],
    }

_mode = transition(
    implementation = _mode_impl,
    inputs = [],
    outputs = [
        "//command_line_option:compilation_mode",
        "//command_line_option:features",
    ],
)

def _built_with_impl(ctx):
    binary = ctx.attr.binary[0][DefaultInfo].files_to_run.executable
    copy = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = copy, target_file = binary, is_executable = True)
    return [DefaultInfo(executable = copy, runfiles = ctx.runfiles(files = [binary]))]

built_with = rule(
    implementation = _built_with_impl,
    executable = True,
    attrs = {
        "binary": attr.label(cfg = _mode, mandatory = True),
        "mode": attr.string(default = "fastbuild", doc = "of compilation"),
        "sanitizer": attr.string(doc = "a feature of the toolchain; empty: none"),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
