"""Models as Bazel targets."""

def nn_artifact(name, model, target = "circle", dims = [], data = [], **kwargs):
    """Compiles a model as a cacheable, sandboxed action: no network, and nothing but the declared inputs.

    Args:
      name: the artifact is `NAME.circle`, its certificate `NAME.circle.cert.json`.
      model: label of an ONNX file.
      target: what to compile for.
      dims: what is known of dims, as for `--dim`: `["N=1", "H=32..1024", "H%8=0"]`.
      data: external data files of the model.
      **kwargs: visibility, tags, testonly.
    """
    artifact = "%s.%s" % (name, target)
    native.genrule(
        name = name,
        srcs = [model] + data,
        outs = [artifact, artifact + ".cert.json"],
        cmd = "$(location //tools:compile) $(location %s) --target=%s -o $(location %s) --quiet %s" % (model, target, artifact, " ".join(["--dim '%s'" % dim for dim in dims])),
        message = "Compiling %s for %s" % (model, target),
        tools = ["//tools:compile"],
        **kwargs
    )
