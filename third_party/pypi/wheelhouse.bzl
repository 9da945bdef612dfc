"""External repositories that hold the Python wheels that a lock names, as files."""

def _pypi_wheelhouse_impl(repository_ctx):
    result = repository_ctx.execute(
        [
            "bash",
            repository_ctx.path(Label("//third_party/pypi:wheelhouse.sh")),
            repository_ctx.path(repository_ctx.attr.lock),
            repository_ctx.path(repository_ctx.attr.pip),
        ],
        timeout = 1800,
        quiet = True,
    )
    if result.return_code != 0:
        fail("@%s: %s" % (repository_ctx.name, result.stderr.strip()))
    repository_ctx.file("BUILD.bazel", """
filegroup(
    name = "wheels",
    srcs = glob(["wheels/*.whl"]),
    visibility = ["//visibility:public"],
)
""")

pypi_wheelhouse = repository_rule(
    implementation = _pypi_wheelhouse_impl,
    attrs = {
        "lock": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "Names the wheels with their digests, in pip's format.",
        ),
        "pip": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "The wheel of pip itself.",
        ),
    },
)
