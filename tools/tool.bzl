"""Programs for users."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")

# In the order in which users see them. Tool NAME is `int tessera::tools::Name(int, char**)`.
TOOLS = [
    "compile",
    "run",
    "verify",
    "inspect",
    "prove",
    "compress",
    "bench",
    "tune",
    "config",
]

def tool(name, srcs, deps):
    """A tool as a program of its own, and as `NAME_tool` a part of the one that has all of them.

    Args:
      name: the tool, one of TOOLS.
      srcs: its sources.
      deps: what they need.
    """
    if name not in TOOLS:
        fail("list the tool " + name + " in TOOLS")
    cc_library(
        name = name + "_tool",
        srcs = srcs,
        deps = deps + [":tools_header"],
    )
    function = name.capitalize()
    native.genrule(
        name = name + "_main_gen",
        outs = [name + "_main.cc"],
        cmd = "\n".join([
            "cat >$@ <<'END'",
            "// Generated: the program of one tool.",
            "#include \"tools/tools.h\"",
            "int main(int argc, char** argv) { return tessera::tools::%s(argc, argv); }" % function,
            "END",
        ]),
        visibility = ["//visibility:private"],
    )
    cc_binary(
        name = name,
        srcs = [name + "_main.cc"],
        deps = [
            ":%s_tool" % name,
            ":tools_header",
        ],
    )
