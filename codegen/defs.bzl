"""Rules for op definition files.

One generator action for all files of a set, which reads them once; what it writes for a file does not change with others, so that an edit to one op recompiles that op.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")

# Nests are compiled some definitions at a time: what each costs is little beside the headers. Which
# source a definition is in depends on its name alone.
_NEST_SHARDS = 8

def op_library(name, title, srcs, prefix, lookup = [], externs = [], extern_deps = [], visibility = ["//visibility:public"]):
    """The C++ of a set of op definitions.

    Args:
      name: `NAME` is the library with `const ir::Dialect& TITLEOps()`; `NAME_shapes` has the shape headers; `NAME_nests` what the ops compute, as data; `NAME_examples` the examples as data, `NAME_signatures` what tests make more of them from.
      title: names the generated functions.
      srcs: the definition files.
      prefix: include path of the shape headers, `ops` for core.
      lookup: labels of definition files of other sets, whose ops and functions these mention.
      externs: headers beside the definitions that `extern` clauses name.
      extern_deps: what those headers need.
      visibility: of the libraries.
    """
    sources = []
    nests = ["%s_gen/nests_%d.cc" % (name, shard) for shard in range(_NEST_SHARDS)]
    headers = []
    locations = "$(locations :%s_op_files) %s" % (name, " ".join(["$(locations %s)" % label for label in lookup]))
    native.filegroup(name = name + "_op_files", srcs = srcs, visibility = ["//visibility:public"])
    for src in srcs:
        stem = src[:-len(".op")]
        headers.append("%s_gen/%s.shape.h" % (name, stem))
        sources.append("%s_gen/%s.cc" % (name, stem))
    native.genrule(
        name = name + "_sources_gen",
        srcs = [":%s_op_files" % name] + lookup,
        outs = headers + sources,
        cmd = "$(location //codegen:opgen) sources %s $(RULEDIR)/%s_gen $(locations :%s_op_files) -- %s" % (prefix, name, name, locations),
        message = "Generating from the op files of " + name,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    native.genrule(
        name = name + "_index_gen",
        srcs = srcs,
        outs = [name + "_gen/index.cc"],
        cmd = "$(location //codegen:opgen) index %s $@ $(SRCS)" % title,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    native.genrule(
        name = name + "_nests_gen",
        srcs = [":%s_op_files" % name] + lookup,
        outs = nests + [name + "_gen/nests.cc"],
        cmd = "$(location //codegen:opgen) nests %s %s %d $(RULEDIR)/%s_gen $(locations :%s_op_files) -- %s" % (prefix, title, _NEST_SHARDS, name, name, locations),
        message = "Generating nests from the op files of " + name,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    native.genrule(
        name = name + "_examples_gen",
        srcs = [":%s_op_files" % name] + lookup,
        outs = [name + "_gen/examples.cc"],
        cmd = "$(location //codegen:opgen) examples %s $@ $(locations :%s_op_files) -- %s" % (title, name, locations),
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    native.genrule(
        name = name + "_signatures_gen",
        testonly = True,
        srcs = srcs,
        outs = [name + "_gen/signature_data.cc"],
        cmd = "$(location //codegen:opgen) signatures %s $@ $(SRCS)" % title,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    cc_library(
        name = name + "_signatures",
        testonly = True,
        srcs = [name + "_gen/signature_data.cc"],
        visibility = visibility,
        deps = ["//codegen/support:signatures"],
    )
    cc_library(
        name = name + "_shapes",
        hdrs = headers,
        include_prefix = prefix,
        strip_include_prefix = name + "_gen",
        visibility = visibility,
        deps = ["//codegen/support:domain"],
    )
    cc_library(
        name = name,
        srcs = sources + [name + "_gen/index.cc"] + externs,
        visibility = visibility,
        deps = [
            ":%s_shapes" % name,
            "//codegen/support",
            "//ir",
            "@debian//:absl",
        ] + extern_deps,
    )
    cc_library(
        name = name + "_nests",
        srcs = nests + [name + "_gen/nests.cc"],
        visibility = visibility,
        deps = [
            ":%s_shapes" % name,
            "//nests",
            "@debian//:absl",
        ],
    )
    cc_library(
        name = name + "_examples",
        testonly = True,
        srcs = [name + "_gen/examples.cc"],
        visibility = visibility,
        deps = ["//codegen/support:examples"],
    )
