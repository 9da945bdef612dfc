"""What is installed, as a Debian package and as an archive."""

load("@machine_compiler//:machine.bzl", "PROGRAMS")

def _package_impl(ctx):
    archive = ctx.actions.declare_file("tessera-%s-linux-amd64.tar.gz" % ctx.attr.version)
    deb = ctx.actions.declare_file("tessera_%s_amd64.deb" % ctx.attr.version)
    runfiles = ctx.attr.program[DefaultInfo].default_runfiles.files.to_list()

    # The libraries of others that it is linked with, and the solver that it starts. A library is among
    # them once as what a program was linked with and once where it was unpacked.
    libraries = {}
    solver = None
    for file in runfiles:
        if ".so" in file.basename:
            libraries[file.basename] = file
        elif file.path.endswith("/usr/bin/cvc5"):
            solver = file
    if solver == None:
        fail("no solver among the runfiles of " + str(ctx.attr.program.label))

    # The name that programs ask for is the shorter one.
    parts = [
        libraries[name]
        for name in sorted(libraries)
        if not [other for other in libraries if name.startswith(other + ".")]
    ]
    ctx.actions.run(
        executable = ctx.executable._pack,
        arguments = [
            ctx.attr.version,
            PROGRAMS["ar"],
            ctx.executable.program.path,
            ctx.file.stripped.path,
            solver.path,
            ctx.file.licences.path,
            archive.path,
            deb.path,
        ] + [file.path for file in parts],
        inputs = parts + [solver, ctx.file.stripped, ctx.file.licences],
        tools = [ctx.attr.program[DefaultInfo].files_to_run],
        outputs = [archive, deb],
        mnemonic = "Package",
        progress_message = "Packing " + archive.basename,
    )
    return [
        DefaultInfo(files = depset([archive, deb])),
        OutputGroupInfo(tar = depset([archive]), deb = depset([deb])),
    ]

package = rule(
    implementation = _package_impl,
    attrs = {
        "version": attr.string(mandatory = True),
        "program": attr.label(executable = True, cfg = "target", mandatory = True),
        "stripped": attr.label(allow_single_file = True, mandatory = True),
        "licences": attr.label(allow_single_file = True, mandatory = True),
        "_pack": attr.label(executable = True, cfg = "host", default = "//packaging:pack"),
    },
    doc = "The program with the libraries and the solver that it needs, its manual pages, completion and licences.",
)
