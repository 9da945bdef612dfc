"""A header of GCC that is parsed once for all sources."""

def _precompiled_header_impl(ctx):
    empty = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.write(
        empty,
        "// GCC takes %s.h.gch, which lies beside this file, if it was made with the same flags;\n" % ctx.label.name +
        "// else it takes this text, which adds nothing.\n",
    )
    name = ctx.label.name + ".h.gch"
    outputs = []
    for variant, flags in ctx.attr.variants.items():
        compiled = ctx.actions.declare_file(name + "/" + variant)
        outputs.append(compiled)
        ctx.actions.run(
            outputs = [compiled],
            inputs = [ctx.file.src] + ctx.files.headers,
            executable = ctx.attr.compiler,
            arguments = ctx.attr.flags + flags + [
                "-isystem",
                ctx.attr.include,
                "-x",
                "c++-header",
                ctx.file.src.path,
                "-o",
                compiled.path,
            ],
            env = {"MACHINE_COMPILER": ctx.attr.versions, "PATH": "/usr/bin:/bin"},
            mnemonic = "CppPrecompile",
            progress_message = "Precompiling the headers that most sources read",
        )
    return [DefaultInfo(files = depset([empty] + outputs))]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    doc = "NAME.h, which is empty, and the folder NAME.h.gch, which holds `src` compiled with the flags" +
          " of each variant. GCC takes that of them whose flags a compile that starts with NAME.h has.",
    attrs = {
        "compiler": attr.string(mandatory = True),
        "flags": attr.string_list(mandatory = True, doc = "as a compile has them"),
        "headers": attr.label_list(allow_files = True, doc = "what `src` includes"),
        "include": attr.string(mandatory = True, doc = "where the headers of libraries are"),
        "src": attr.label(mandatory = True, allow_single_file = [".h"]),
        "variants": attr.string_list_dict(
            mandatory = True,
            doc = "further flags, by name; a compile has those of one",
        ),
        "versions": attr.string(mandatory = True),
    },
)
