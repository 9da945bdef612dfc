"""A module that Python loads."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _filtered(inputs, replaced):
    """Linker inputs without the static libraries of these names."""
    result = []
    for input in inputs.to_list():
        libraries = [
            library
            for library in input.libraries
            if not library.static_library or library.static_library.basename not in replaced
        ]
        result.append(cc_common.create_linker_input(
            owner = input.owner,
            libraries = depset(libraries),
            user_link_flags = depset(input.user_link_flags),
            additional_inputs = depset(input.additional_inputs),
        ))
    return result

def _extension_module_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        # The shared library of C++, which the static one below takes the place of.
        unsupported_features = ctx.disabled_features + ["language_libraries"],
    )
    inputs = depset(transitive = [
        dep[CcInfo].linking_context.linker_inputs
        for dep in ctx.attr.deps
    ])
    replaced = [name for name in ctx.attr.replaced]
    linked = ctx.files.objects + ctx.files.shared
    flags = [
        # Nothing of it is seen by others, nor taken from others that happen to be loaded.
        "-Wl,--version-script=" + ctx.file.exports.path,
        "-Wl,-rpath,$ORIGIN/lib",
        "-Wl,--as-needed",
    ] + [file.path for file in linked] + [
        # Its streams and locales are its own: objects of programs reach them directly.
        "-l:libstdc++.a",
        "-lm",
        "-pthread",
    ]
    outputs = cc_common.link(
        name = ctx.label.name,
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        linking_contexts = [cc_common.create_linking_context(
            linker_inputs = depset(_filtered(inputs, replaced)),
        )],
        user_link_flags = flags,
        additional_inputs = linked + [ctx.file.exports],
        output_type = "dynamic_library",
    )
    library = outputs.library_to_link.resolved_symlink_dynamic_library or outputs.library_to_link.dynamic_library
    named = ctx.actions.declare_file(ctx.attr.file)
    ctx.actions.symlink(output = named, target_file = library)

    # What it is linked with and brings along.
    shared = {}
    for input in inputs.to_list():
        for each in input.libraries:
            file = each.resolved_symlink_dynamic_library or each.dynamic_library
            if file:
                shared[file.basename] = file
    for file in ctx.files.shared:
        shared[file.basename] = file
    return [
        DefaultInfo(files = depset([named])),
        OutputGroupInfo(shared = depset(shared.values())),
    ]

extension_module = rule(
    implementation = _extension_module_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "exports": attr.label(
            allow_single_file = True,
            mandatory = True,
            doc = "The linker's list of what others see.",
        ),
        "file": attr.string(mandatory = True, doc = "What the module's file is called."),
        "objects": attr.label_list(
            allow_files = True,
            doc = "Static libraries of what the replaced ones cannot be shared for.",
        ),
        "replaced": attr.string_list(doc = "Static libraries of `deps` that are left out."),
        "shared": attr.label_list(
            allow_files = True,
            doc = "Shared libraries in their place.",
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    doc = "All of `deps` linked into one shared library, whose symbols are its own.",
)
