"""External repositories made of the Python wheels that a lock names; for tests only."""

_HERE = "//third_party/pypi:"

def _pypi_wheels_impl(repository_ctx):
    result = repository_ctx.execute(
        [
            "bash",
            repository_ctx.path(Label(_HERE + "unpack.sh")),
            repository_ctx.path(repository_ctx.attr.lock),
            repository_ctx.path(repository_ctx.attr.pip),
        ],
        timeout = 1800,
        quiet = True,
    )
    if result.return_code != 0:
        fail("@%s: %s" % (repository_ctx.name, result.stderr.strip()))
    repository_ctx.symlink(Label(_HERE + "python.sh"), "python.sh")
    repository_ctx.symlink(repository_ctx.attr.build_file, "BUILD.bazel")

pypi_wheels = repository_rule(
    implementation = _pypi_wheels_impl,
    attrs = {
        "build_file": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "The BUILD file of the repository.",
        ),
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
