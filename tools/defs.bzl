"""Models as Bazel targets."""

load("//targets/all:targets.bzl", "TARGETS")

def nn_artifact(name, model, target = TARGETS[0], dims = [], flags = [], data = [], **kwargs):
    """Compiles a model as a cacheable, sandboxed action: no network, and nothing but the declared inputs.

    Args:
      name: the artifact is `NAME.TARGET`, its certificate `NAME.TARGET.cert.json`.
      model: label of an ONNX file.
      target: what to compile for.
      dims: what is known of dims, as for `--dim`: `["N=1", "H=32..1024", "H%8=0"]`.
      flags: further flags of the compiler, such as those of the target.
      data: external data files of the model.
      **kwargs: visibility, tags, testonly.
    """
    artifact = "%s.%s" % (name, target)
    native.genrule(
        name = name,
        srcs = [model] + data,
        outs = [artifact, artifact + ".cert.json"],
        cmd = "$(location //tools:compile) $(location %s) --target=%s -o $(location %s) --quiet %s" % (model, target, artifact, " ".join(["--dim '%s'" % dim for dim in dims] + ["'%s'" % flag for flag in flags])),
        message = "Compiling %s for %s" % (model, target),
        tools = ["//tools:compile"],
        **kwargs
    )
