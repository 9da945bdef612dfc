"""All that an action takes from the machine, and the check that it is what the lock goes with.

An action may run the programs below, and those of /usr/bin and /bin that every Debian has (bash,
coreutils, sed, grep, gawk or mawk); that which packs //python:wheel runs /usr/bin/python3.11. What it builds runs on the machine's loader, C and C++ library
(libc6, libstdc++6, libgcc-s1), which are the ones of the sysroot or newer. Tests may also run
/usr/bin/python3.11, which Bazel itself depends on. All else comes from
@debian, @debian_sysroot and @pypi.
"""

_PACKAGES = {
    # Debian package: the version that it must have, up to a prefix.
    "binutils": "2.40",
    "g++-12": "12.2.0",
    "gcc-12": "12.2.0",
}

_PROGRAMS = {
    # The name that Bazel has for it: its path.
    "ar": "/usr/bin/x86_64-linux-gnu-ar",
    "cpp": "/usr/bin/x86_64-linux-gnu-cpp-12",
    "gcc": "/usr/bin/x86_64-linux-gnu-gcc-12",
    "gcov": "/usr/bin/x86_64-linux-gnu-gcov-12",
    "ld": "/usr/bin/x86_64-linux-gnu-ld.gold",
    "nm": "/usr/bin/x86_64-linux-gnu-nm",
    "objcopy": "/usr/bin/x86_64-linux-gnu-objcopy",
    "objdump": "/usr/bin/x86_64-linux-gnu-objdump",
    "strip": "/usr/bin/x86_64-linux-gnu-strip",
}

def _machine_compiler_impl(repository_ctx):
    install = "install it: apt-get install " + " ".join(sorted(_PACKAGES))
    for path in _PROGRAMS.values():
        if not repository_ctx.path(path).exists:
            fail("the compiler's `%s` is not there; %s" % (path, install))
    versions = []
    for package, wanted in sorted(_PACKAGES.items()):
        result = repository_ctx.execute(["dpkg-query", "--show", "--showformat=${Version}", package])
        if result.return_code != 0 or not result.stdout.startswith(wanted):
            fail("Debian package `%s` is at version `%s`, and %s is needed; %s" % (
                package,
                result.stdout.strip(),
                wanted,
                install,
            ))
        versions.append("%s=%s" % (package, result.stdout.strip()))
    repository_ctx.file("BUILD", "")
    repository_ctx.file("machine.bzl", "PROGRAMS = %r\n\nVERSIONS = %r\n" % (
        _PROGRAMS,
        " ".join(versions),
    ))

machine_compiler = repository_rule(
    implementation = _machine_compiler_impl,
    doc = "Defines PROGRAMS, and VERSIONS, which is part of each action's key.",
    configure = True,
    local = True,
)
