"""Files compiled into the program, which then needs none of them when it runs."""

load("@rules_cc//cc:defs.bzl", "cc_library")

def cc_embed(name, srcs, function, namespace, **kwargs):
    """A library with the bytes of files, one behind the other.

    Args:
      name: the library; its header is NAME.h in the same package.
      srcs: the files.
      function: the header declares `std::string_view function()`; the bytes start at a multiple
          of 16.
      namespace: where it declares that.
      **kwargs: attributes of the library.
    """
    header = name + ".h"
    source = name + ".cc"
    guard = (native.package_name() + "/" + name + "_H_").replace("/", "_").replace("-", "_").upper()
    native.genrule(
        name = name + "_source",
        srcs = srcs,
        outs = [
            header,
            source,
        ],
        cmd = "\n".join([
            "cat > $(location %s) <<'END'" % header,
            "// The bytes of %s." % " ".join(srcs),
            "#ifndef TESSERA_%s" % guard,
            "#define TESSERA_%s" % guard,
            "#include <string_view>",
            "namespace %s {" % namespace,
            "std::string_view %s();" % function,
            "}",
            "#endif",
            "END",
            "{",
            "echo '#include \"%s/%s\"'" % (native.package_name(), header),
            "echo 'namespace %s {'" % namespace,
            "echo 'static const unsigned char kBytes[] __attribute__((aligned(16))) = {'",
            "cat $(SRCS) | od -An -v -tu1 | sed -E 's/ +([0-9]+)/\\1,/g'",
            "echo '};'",
            "echo 'std::string_view %s() {'" % function,
            "echo '  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};'",
            "echo '}'",
            "echo '}'",
            "} > $(location %s)" % source,
        ]),
    )
    cc_library(
        name = name,
        srcs = [source],
        hdrs = [header],
        **kwargs
    )
