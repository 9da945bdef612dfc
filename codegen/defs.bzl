"""Rules for op definition files.

One generator action for all files of a set, which reads them once. What it writes for a file does not change with others, and includes nothing that is generated: adding an op, or editing one,
compiles that op and the index.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")

# Nests are compiled some definitions at a time: what each costs is little beside the headers. Which
# source a definition is in depends on its name alone.
_NEST_SHARDS = 8

def op_library(name, title, srcs, lookup = [], externs = [], extern_deps = [], aten = False, shaders = [], visibility = ["//visibility:public"]):
    """The C++ of a set of op definitions.

    Args:
      name: `NAME` is the library with `const ir::Dialect& TITLEOps()`; `NAME_nests` what the ops compute, as data; `NAME_traits` what quantization may do at them; `NAME_examples` the examples as data, `NAME_signatures` what tests make more of them from.
      title: names the generated functions.
      srcs: the definition files.
      lookup: labels of definition files of other sets, whose ops and functions these mention.
      externs: headers beside the definitions that `extern` clauses name.
      extern_deps: what those headers need.
      aten: whether there is `NAME_aten`, the library with the clauses for ATen, `TITLEAten()`.
      shaders: the `.comp` files of those that have a `shader` clause; then there is `NAME_shaders`, the library with `TITLEShaders()`.
      visibility: of the libraries.
    """
    folder = name + "_gen"
    stems = [src[:-len(".op")] for src in srcs]
    sources = ["%s/%s.cc" % (folder, stem) for stem in stems]
    own = "$(locations :%s_op_files)" % name
    others = "%s %s" % (own, " ".join(["$(locations %s)" % label for label in lookup]))
    nests = ["%s/nests_%d.cc" % (folder, shard) for shard in range(_NEST_SHARDS)] + [folder + "/nests.cc"]
    native.filegroup(name = name + "_op_files", srcs = srcs, visibility = ["//visibility:public"])
    native.genrule(
        name = name + "_sources_gen",
        srcs = [":%s_op_files" % name] + lookup,
        outs = sources,
        cmd = "$(location //codegen:opgen) sources $(RULEDIR)/%s %s -- %s" % (folder, own, others),
        message = "Generating from the op files of " + name,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    native.genrule(
        name = name + "_index_gen",
        srcs = srcs,
        outs = [folder + "/index.cc"],
        cmd = "$(location //codegen:opgen) index %s $@ $(SRCS)" % title,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    native.genrule(
        name = name + "_nests_gen",
        srcs = [":%s_op_files" % name] + lookup,
        outs = nests,
        cmd = "$(location //codegen:opgen) nests %s %d $(RULEDIR)/%s %s -- %s" % (title, _NEST_SHARDS, folder, own, others),
        message = "Generating nests from the op files of " + name,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    if aten:
        clauses = ["%s/aten_%d.cc" % (folder, shard) for shard in range(_NEST_SHARDS)] + [folder + "/aten_index.cc"]
        native.genrule(
            name = name + "_aten_gen",
            srcs = [":%s_op_files" % name] + lookup,
            outs = clauses,
            cmd = "$(location //codegen:opgen) aten %s %d $(RULEDIR)/%s %s -- %s" % (title, _NEST_SHARDS, folder, own, others),
            message = "Generating clauses for ATen from the op files of " + name,
            tools = ["//codegen:opgen"],
            visibility = ["//visibility:private"],
        )
        cc_library(
            name = name + "_aten",
            srcs = clauses,
            visibility = visibility,
            deps = [
                ":" + name,
                "//codegen/support",
                "//codegen/support:domain",
                "//ir",
                "//ir:aten",
                "@debian//:absl",
            ],
        )
    if shaders:
        native.genrule(
            name = name + "_shaders_gen",
            srcs = srcs + shaders,
            outs = [folder + "/shaders.cc"],
            cmd = "$(location //codegen:opgen) shaders %s $@ %s" % (title, " ".join(["$(location %s)" % src for src in srcs])),
            message = "Generating shaders from the op files of " + name,
            tools = ["//codegen:opgen"],
            visibility = ["//visibility:private"],
        )
        cc_library(
            name = name + "_shaders",
            srcs = [folder + "/shaders.cc"],
            visibility = visibility,
            deps = [
                "//codegen/support:shader",
                "@debian//:absl",
            ],
        )
    native.genrule(
        name = name + "_traits_gen",
        srcs = srcs,
        outs = [folder + "/traits.cc"],
        cmd = "$(location //codegen:opgen) traits %s $@ $(SRCS)" % title,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    cc_library(
        name = name + "_traits",
        srcs = [folder + "/traits.cc"],
        visibility = visibility,
        deps = [
            "//codegen/support:quantize_trait",
            "@debian//:absl",
        ],
    )
    native.genrule(
        name = name + "_examples_gen",
        srcs = [":%s_op_files" % name] + lookup,
        outs = [folder + "/examples.cc"],
        cmd = "$(location //codegen:opgen) examples %s $@ %s -- %s" % (title, own, others),
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    native.genrule(
        name = name + "_signatures_gen",
        testonly = True,
        srcs = srcs,
        outs = [folder + "/signature_data.cc"],
        cmd = "$(location //codegen:opgen) signatures %s $@ $(SRCS)" % title,
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )
    cc_library(
        name = name + "_signatures",
        testonly = True,
        srcs = [folder + "/signature_data.cc"],
        visibility = visibility,
        deps = ["//codegen/support:signatures"],
    )
    cc_library(
        name = name,
        srcs = sources + [folder + "/index.cc"] + externs,
        visibility = visibility,
        deps = [
            "//codegen/support",
            "//codegen/support:domain",
            "//ir",
            "@debian//:absl",
        ] + extern_deps,
    )
    cc_library(
        name = name + "_nests",
        srcs = nests,
        visibility = visibility,
        deps = [
            ":" + name,
            "//codegen/support:domain",
            "//nests",
            "@debian//:absl",
        ],
    )
    cc_library(
        name = name + "_examples",
        testonly = True,
        srcs = [folder + "/examples.cc"],
        visibility = visibility,
        deps = ["//codegen/support:examples"],
    )
