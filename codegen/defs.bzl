"""Rules for op definition files.

One generator action for all files of a set, which reads them once. What it writes for a file does
not change with others, and includes nothing that is generated: adding an op, or editing one, compiles
that op and the index.
"""

load("@rules_cc//cc:defs.bzl", "cc_library")

# Nests and clauses for ATen are compiled some definitions at a time: what each costs is little beside
# the headers. Which source a definition is in depends on its name alone.
_SHARDS = 8

def _generate(name, product, srcs, outs, arguments, testonly = None):
    native.genrule(
        name = "%s_%s_gen" % (name, product),
        testonly = testonly,
        srcs = srcs,
        outs = outs,
        cmd = "$(location //codegen:opgen) " + arguments,
        message = "Generating %s from the op files of %s" % (product, name),
        tools = ["//codegen:opgen"],
        visibility = ["//visibility:private"],
    )

def _generated_library(name, product, srcs, outs, arguments, deps, visibility, testonly = None, headers = []):
    """`NAME_PRODUCT`, the library of what `opgen arguments` writes, which includes `headers`."""
    _generate(name, product, srcs, outs, arguments, testonly)
    cc_library(
        name = "%s_%s" % (name, product),
        testonly = testonly,
        srcs = outs + headers,
        visibility = visibility,
        deps = deps,
    )

def op_library(name, title, srcs, lookup = [], externs = [], extern_deps = [], aten = False, refusals = False, shaders = [], visibility = ["//visibility:public"]):
    """The C++ of a set of op definitions.

    Args:
      name: `NAME` is the library with `const ir::Dialect& TITLEOps()`; `NAME_nests` what the ops compute, as data; `NAME_traits` what quantization may do at them; `NAME_examples` the examples as data, `NAME_signatures` what tests make more of them from.
      title: names the generated functions.
      srcs: the definition files.
      lookup: labels of definition files of other sets, whose ops and functions these mention.
      externs: headers beside the definitions that `extern` clauses name.
      extern_deps: what those headers need.
      aten: whether there is `NAME_aten`, the library with the clauses for ATen, `TITLEAten()`.
      refusals: whether there is `NAME_refusals`, the library with the operators of others that are refused, `TITLERefusals()`.
      shaders: the `.comp` files of those that have a `shader` clause; then there is `NAME_shaders`, the library with `TITLEShaders()`.
      visibility: of the libraries.
    """
    folder = name + "_gen"
    stems = [src[:-len(".op")] for src in srcs]
    sources = ["%s/%s.cc" % (folder, stem) for stem in stems]
    own = "$(locations :%s_op_files)" % name
    others = "%s %s" % (own, " ".join(["$(locations %s)" % label for label in lookup]))
    op_files = ":%s_op_files" % name
    native.filegroup(name = name + "_op_files", srcs = srcs, visibility = ["//visibility:public"])
    _generate(
        name,
        "sources",
        [op_files] + lookup,
        sources,
        "sources $(RULEDIR)/%s %s -- %s" % (folder, own, others),
    )
    _generate(name, "index", srcs, [folder + "/index.cc"], "index %s $@ $(SRCS)" % title)
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
    _generated_library(
        name,
        "nests",
        [op_files] + lookup,
        ["%s/nests_%d.cc" % (folder, shard) for shard in range(_SHARDS)] + [folder + "/nests.cc"],
        "nests %s %d $(RULEDIR)/%s %s -- %s" % (title, _SHARDS, folder, own, others),
        deps = [
            ":" + name,
            "//codegen/support:domain",
            "//nests",
            "@debian//:absl",
        ],
        visibility = visibility,
    )
    if aten:
        _generated_library(
            name,
            "aten",
            [op_files] + lookup,
            ["%s/aten_%d.cc" % (folder, shard) for shard in range(_SHARDS)] + [folder + "/aten_index.cc"],
            "aten %s %d $(RULEDIR)/%s %s -- %s" % (title, _SHARDS, folder, own, others),
            deps = [
                ":" + name,
                "//codegen/support",
                "//codegen/support:domain",
                "//ir",
                "//ir:aten",
                "@debian//:absl",
            ] + extern_deps,
            headers = externs,
            visibility = visibility,
        )
    if refusals:
        _generated_library(
            name,
            "refusals",
            srcs,
            [folder + "/refusals.cc"],
            "refusals %s $@ $(SRCS)" % title,
            deps = [
                "//ir:refusals",
                "@debian//:absl",
            ],
            visibility = visibility,
        )
    if shaders:
        _generated_library(
            name,
            "shaders",
            srcs + shaders,
            [folder + "/shaders.cc"],
            "shaders %s $@ %s" % (title, " ".join(["$(location %s)" % src for src in srcs])),
            deps = [
                "//codegen/support:shader",
                "@debian//:absl",
            ],
            visibility = visibility,
        )
    _generated_library(
        name,
        "traits",
        srcs,
        [folder + "/traits.cc"],
        "traits %s $@ $(SRCS)" % title,
        deps = [
            "//codegen/support:quantize_trait",
            "@debian//:absl",
        ],
        visibility = visibility,
    )
    _generated_library(
        name,
        "examples",
        [op_files] + lookup,
        [folder + "/examples.cc"],
        "examples %s $@ %s -- %s" % (title, own, others),
        deps = ["//codegen/support:examples"],
        visibility = visibility,
        testonly = True,
    )
    _generated_library(
        name,
        "signatures",
        [op_files] + lookup,
        [folder + "/signature_data.cc"],
        "signatures %s $@ %s -- %s" % (title, own, others),
        deps = ["//codegen/support:signatures"],
        visibility = visibility,
        testonly = True,
    )
