"""The layering of the rooms as a test."""

def layering_test(name, roots, sees, never, **kwargs):
    """Checks who depends on whom, in all that some targets are made of.

    Tools that run during the build (the generator of code, say) are no dependencies here.

    Args:
      name: the test.
      roots: targets whose dependencies, direct or not, are looked at.
      sees: for each room (a folder with all below it but the rooms therein) the rooms that its
          targets may depend on, the labels of other repositories, and those of single targets of a
          room that they may not depend on otherwise.
      never: for some rooms, the rooms and labels that they may not reach through others either.
      **kwargs: further attributes of the test.
    """
    native.genquery(
        name = name + "_graph",
        testonly = True,
        # C++ alone: the definitions that the generator of code reads are no layer of a program.
        expression = "kind('^cc_(binary|library) rule$', deps(set(%s)))" % " ".join(roots),
        opts = [
            "--noimplicit_deps",
            "--notool_deps",
            "--output=graph",
            "--nograph:factored",
            "--graph:node_limit=0",
        ],
        scope = roots,
        visibility = ["//visibility:private"],
    )
    table = [
        "%s %s %s" % (rule, room, other)
        for rule, rooms in [("sees", sees), ("never", never)]
        for room, others in sorted(rooms.items())
        for other in [room] + others
        if rule == "sees" or other != room
    ]
    native.genrule(
        name = name + "_table",
        testonly = True,
        outs = [name + "_table.txt"],
        cmd = "cat >$@ <<'END'\n%s\nEND" % "\n".join(table),
        visibility = ["//visibility:private"],
    )
    native.sh_test(
        name = name,
        size = "small",
        srcs = ["//build_rules:layering.sh"],
        args = [
            "$(location //build_rules:layering.awk)",
            "$(location :%s_table)" % name,
            "$(location :%s_graph)" % name,
        ],
        data = [
            ":%s_graph" % name,
            ":%s_table" % name,
            "//build_rules:layering.awk",
            "//build_rules:source_tree",
        ],
        # Packages are counted in the source tree itself.
        tags = [
            "external",
            "local",
        ],
        **kwargs
    )
