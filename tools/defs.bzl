"""Models as Bazel targets: each is compiled and tried in actions of its own, which caches and remote machines take (docs/scale-out.md)."""

load("//targets/all:targets.bzl", "CALIBRATED", "PLACE_FLAGS", "SUFFIXES", "TARGETS")

# The folder that holds the sets `test_data_set_K` of a label with their files. More than one: some
# of the sets would be passed over.
_FOLDER = """\
folders=$$(for file in %s; do case $$file in */test_data_set_*/*) dirname $$(dirname $$file);; esac; done | sort -u)
[ -n "$$folders" ] || { echo "calibration: no file test_data_set_K/..." >&2; exit 1; }
[ $$(echo "$$folders" | wc -l) = 1 ] || { echo "calibration: the sets lie in several folders:" $$folders >&2; exit 1; }
"""

def _flags(target, place, dims, flags):
    """The compiler's flags but for files, each of them quoted."""
    all = ["--target=" + target]
    if place:
        if target not in PLACE_FLAGS:
            fail("artifacts for `%s` are for no runtime and no device that could be named" % target)
        all.append("--%s=%s" % (PLACE_FLAGS[target], place))
    for dim in dims:
        all += ["--dim", dim]
    return _quoted(all + flags)

def _quoted(words):
    """Words as a shell has them, behind what genrules and tests make of `$(location ...)`."""
    return ["'%s'" % word.replace("'", "'\\''") for word in words]

def nn_artifact(name, model, target = TARGETS[0], place = None, dims = [], calibration = None, flags = [], data = [], **kwargs):
    """Compiles a model as a cacheable, sandboxed action: no network, and nothing but the declared inputs.

    Args:
      name: the artifact is `NAME.SUFFIX`, as the target calls its files, its certificate `NAME.SUFFIX.cert.json`.
      model: label of an ONNX file or a program of PyTorch.
      target: what to compile for.
      place: the runtime or device that it is for, the value of the flag that PLACE_FLAGS has for the target.
      dims: what is known of dims, as for `--dim`: `["N=1", "H=32..1024", "H%8=0"]`.
      calibration: label of files `test_data_set_K/input_I.pb` (or .npy), of which the ranges of values are measured.
      flags: further flags of the compiler, such as those of the target.
      data: external data files of the model.
      **kwargs: visibility, tags, testonly.
    """
    artifact = "%s.%s" % (name, SUFFIXES.get(target, target))
    words = ["$(location //tools:compile)", "$(location %s)" % model] + _flags(target, place, dims, flags)
    if calibration:
        words = [_FOLDER % ("$(locations %s)" % calibration)] + words + ["--calibrate $$folders"]
    native.genrule(
        name = name,
        srcs = [model] + data + ([calibration] if calibration else []),
        outs = [artifact, artifact + ".cert.json"],
        cmd = " ".join(words + ["-o $(location %s)" % artifact, "--quiet"]),
        message = "Compiling %s for %s" % (model, target),
        tools = ["//tools:compile"],
        **kwargs
    )

def nn_artifact_test(name, model, target = TARGETS[0], artifact = None, place = None, dims = [], calibration = None, flags = [], data = [], test_data = None, size = "medium", **kwargs):
    """Runs a model's artifact and compares it with the reference, as `verify` does.

    Args:
      name: of the test.
      model: label of an ONNX file or a program of PyTorch.
      target: what to compile for.
      artifact: label of the artifact, `NAME.SUFFIX` of an nn_artifact; without, the test compiles the model.
      place: the runtime or device that it is for, the value of the flag that PLACE_FLAGS has for the target.
      dims: what is known of dims, as for `--dim`.
      calibration: label of files `test_data_set_K/input_I.pb`, of which the ranges of values are measured.
      flags: further flags of `verify`.
      data: external data files of the model.
      test_data: label of files `test_data_set_K/{input_I,output_O}.pb`; without, inputs are random, of several sizes.
      size: of the test.
      **kwargs: visibility, tags.
    """
    files = [label for label in [test_data, calibration] if label]
    arguments = ["$(location //tools:verify)", "$(location %s)" % model]
    for flag, label in [("--data", test_data), ("--calibrate", calibration)]:
        arguments.append(flag if label else "")
        arguments.append("$(locations %s)" % label if label else "")
    compared = ["--artifact", "$(location %s)" % artifact] if artifact else []
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tools:verify_artifact.sh"],
        args = ["'%s'" % argument for argument in arguments] + ["--"] + compared + _flags(target, place, dims, flags),
        data = depset([model, "//tools:verify"] + data + files + ([artifact] if artifact else [])).to_list(),
        **kwargs
    )

def nn_artifact_matrix(name, models, targets = {TARGETS[0]: []}, dims = {"": []}, calibration = {}, test_data = {}, flags = [], compile_flags = [], tests = True, **kwargs):
    """An artifact for each model, target, runtime or device, and declaration of dims, and a test of each.

    An artifact is named `NAME_MODEL_TARGET`, behind which come place and dims where they have a name;
    its test has `_test` behind it. `NAME` is all artifacts, `NAME_test` all tests.

    Args:
      name: of the whole.
      models: labels by name.
      targets: by target the runtimes or devices that artifacts are for; none: its default.
      dims: by name what is known of dims; the name may be empty.
      calibration: by model's name, for targets that measure ranges.
      test_data: by model's name; without, inputs are random.
      flags: further flags of the compiler that `verify` has too: what is known of the model, and how exact the artifact is.
      compile_flags: further flags of the compiler alone.
      tests: whether there are tests.
      **kwargs: visibility, tags.
    """
    artifacts, checks = [], []
    for model, label in models.items():
        for target, places in targets.items():
            for place in places or [None]:
                for variant, facts in dims.items():
                    one = "_".join([part for part in [name, model, target, place, variant] if part])
                    ranges = calibration.get(model) if target in CALIBRATED else None
                    nn_artifact(
                        name = one,
                        calibration = ranges,
                        dims = facts,
                        flags = flags + compile_flags,
                        model = label,
                        place = place,
                        target = target,
                        **kwargs
                    )
                    artifacts.append(one)
                    if not tests:
                        continue
                    nn_artifact_test(
                        name = one + "_test",
                        artifact = "%s.%s" % (one, SUFFIXES.get(target, target)),
                        dims = facts,
                        flags = flags,
                        model = label,
                        place = place,
                        target = target,
                        test_data = test_data.get(model),
                        **kwargs
                    )
                    checks.append(one + "_test")
    native.filegroup(name = name, srcs = artifacts, **kwargs)
    if tests:
        native.test_suite(name = name + "_test", tests = checks)
