"""Repositories that @bazel_tools refers to by name, cut down to what it uses.

Bazel 4.2 would fetch them over the network. It needs their names and, of the rule sets, the
native rules under the names that they are loaded by.
"""

def _write_repository(repository_ctx, files):
    repository_ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % repository_ctx.name)
    for path, content in files.items():
        repository_ctx.file(path, content, executable = False)

def _reexport(rules):
    return "".join(["{0} = native.{0}\n".format(rule) for rule in rules])

def _rules_cc_impl(repository_ctx):
    _write_repository(repository_ctx, {
        "BUILD": "",
        "cc/BUILD": "",
        "cc/defs.bzl": _reexport([
            "cc_binary",
            "cc_import",
            "cc_library",
            "cc_proto_library",
            "cc_test",
            "cc_toolchain",
            "cc_toolchain_suite",
            "fdo_prefetch_hints",
            "fdo_profile",
            "objc_import",
            "objc_library",
        ]),
    })

def _rules_java_impl(repository_ctx):
    _write_repository(repository_ctx, {
        "BUILD": "",
        "java/BUILD": "",
        "java/defs.bzl": _reexport([
            "java_binary",
            "java_import",
            "java_library",
            "java_runtime",
            "java_toolchain",
        ]),
    })

def _remote_coverage_tools_impl(repository_ctx):
    targets = ["Main", "coverage_report_generator", "lcov_merger"]
    _write_repository(repository_ctx, {
        "BUILD": "package(default_visibility = [\"//visibility:public\"])\n" + "".join([
            "\nfilegroup(name = \"%s\")\n" % target
            for target in targets
        ]),
    })

rules_cc = repository_rule(implementation = _rules_cc_impl)

rules_java = repository_rule(implementation = _rules_java_impl)

# Every test refers to the coverage report generator; none of ours collects coverage.
remote_coverage_tools = repository_rule(implementation = _remote_coverage_tools_impl)
