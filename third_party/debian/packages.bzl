"""External repositories made of the Debian packages that packages.lock names."""

_LOCK = "//third_party/debian:packages.lock"
_UNPACK = "//third_party/debian:unpack.sh"

def _debian_packages_impl(repository_ctx):
    lock = repository_ctx.path(Label(_LOCK))
    unpack = repository_ctx.path(Label(_UNPACK))
    result = repository_ctx.execute(
        ["bash", unpack, lock, repository_ctx.name],
        timeout = 1800,
        quiet = True,
    )
    if result.return_code != 0:
        fail("@%s: %s" % (repository_ctx.name, result.stderr.strip()))
    repository_ctx.symlink(repository_ctx.attr.build_file, "BUILD.bazel")

debian_packages = repository_rule(
    implementation = _debian_packages_impl,
    doc = "Unpacks the packages that the lock lists under this repository's name.",
    attrs = {
        "build_file": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "The BUILD file over the unpacked tree, whose root is the file system's root.",
        ),
    },
)
