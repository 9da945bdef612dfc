"""A wheel: the package in Python, its module, the program, and the libraries that both need."""

load("@machine_compiler//:machine.bzl", "PROGRAMS")

def _wheel_impl(ctx):
    folder = ctx.attr.folder + "/" if ctx.attr.folder else ""
    wheel = ctx.actions.declare_file("%stessera-%s-%s.whl" % (folder, ctx.attr.version, ctx.attr.tag))
    runfiles = ctx.attr.program[DefaultInfo].default_runfiles.files.to_list()
    libraries = {}
    solver = None
    for file in ctx.attr.module[OutputGroupInfo].shared.to_list() + runfiles:
        if ".so" in file.basename:
            libraries[file.basename] = file
        elif file.path.endswith("/usr/bin/cvc5"):
            solver = file
    if solver == None:
        fail("no solver among the runfiles of " + str(ctx.attr.program.label))
    prefix = ctx.label.package + "/"

    # What goes where; of the libraries only those that something needs.
    places = [
        (ctx.file.module.path, "tessera/" + ctx.file.module.basename),
        (ctx.file.stripped.path, "tessera/bin/tessera"),
        (solver.path, "tessera/bin/cvc5"),
        (ctx.file.licences.path, "licence"),
    ] + [
        (file.path, file.short_path[len(prefix):])
        for file in ctx.files.sources
    ]
    arguments = ctx.actions.args()
    arguments.add_all(["-I", "-S", ctx.file._pack])
    arguments.add_all([wheel, ctx.attr.version, ctx.attr.tag])
    arguments.add_all([PROGRAMS["objdump"], PROGRAMS["strip"], ctx.file._patchelf])
    for origin, place in places:
        arguments.add("%s=%s" % (place, origin))
    for name in sorted(libraries):
        arguments.add("lib:%s=%s" % (name, libraries[name].path))
    ctx.actions.run(
        # Bazel itself depends on it.
        executable = "/usr/bin/python3.11",
        arguments = [arguments],
        inputs = [
            ctx.file._pack,
            ctx.file._patchelf,
            ctx.file.module,
            ctx.file.stripped,
            ctx.file.licences,
            solver,
        ] + ctx.files.sources + libraries.values(),
        outputs = [wheel],
        mnemonic = "Wheel",
        progress_message = "Packing " + wheel.basename,
    )
    return [DefaultInfo(files = depset([wheel]), runfiles = ctx.runfiles([wheel]))]

wheel = rule(
    implementation = _wheel_impl,
    attrs = {
        "folder": attr.string(doc = "Where it goes within the package's outputs."),
        "licences": attr.label(allow_single_file = True, mandatory = True),
        "module": attr.label(allow_single_file = True, mandatory = True),
        "program": attr.label(executable = True, cfg = "target", mandatory = True),
        "sources": attr.label_list(allow_files = True, mandatory = True),
        "stripped": attr.label(allow_single_file = True, mandatory = True),
        "tag": attr.string(
            mandatory = True,
            doc = "For which interpreters and systems it is; packing fails where it needs more.",
        ),
        "version": attr.string(mandatory = True),
        "_pack": attr.label(allow_single_file = True, default = "//python:wheel.py"),
        "_patchelf": attr.label(allow_single_file = True, default = "@debian_patchelf//:usr/bin/patchelf"),
    },
    doc = "The same inputs give the same bytes.",
)
