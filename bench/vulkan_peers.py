"""Runs of `.tvk` files beside runs of the same networks by ncnn on the same Vulkan device.

  python bench/vulkan_peers.py --tools bazel-bin/tools denoise=model.onnx:1x9x256x256 ...

The python must have `ncnn` and `numpy`; `pnnx`, which makes ncnn's files, must be on the PATH. Both
are on PyPI. VK_ICD_FILENAMES says which driver is compared, as for any program with Vulkan. Rounds
of the two take turns. What is compared is processor time, so that other programs matter little;
on a device other than the processor `--wall` compares time as it passes.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SETTINGS = {
    "f32": {},
    "f32, no Winograd": {"use_winograd_convolution": False},
    "f16 storage": {"use_fp16_storage": True, "use_fp16_packed": True},
}


def ncnn_net(param, weights, setting):
    """The network on Vulkan, in f32 unless the setting says otherwise."""
    import ncnn

    net = ncnn.Net()
    net.opt.use_vulkan_compute = True
    for option in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "int8_storage", "bf16_storage"):
        if hasattr(net.opt, "use_" + option):
            setattr(net.opt, "use_" + option, False)
    for option, value in setting.items():
        setattr(net.opt, option, value)
    if net.load_param(param) != 0 or net.load_model(weights) != 0:
        raise RuntimeError("ncnn cannot load " + param)
    return net


def ncnn_run(net, image):
    """Seconds of one run: as time passes, and of the processor."""
    import ncnn
    import numpy

    wall, processor = time.perf_counter(), time.process_time()
    extractor = net.create_extractor()
    extractor.input("in0", ncnn.Mat(image))
    code, out = extractor.extract("out0")
    result = numpy.array(out)
    if code != 0 or result.size == 0:
        raise RuntimeError("ncnn yields nothing")
    return time.perf_counter() - wall, time.process_time() - processor


def our_run(tools, artifact, source, runs):
    """Likewise, lists of both."""
    report = subprocess.run(
        [tools / "bench", artifact, "--input", source, "--runs", str(runs), "--warm-up", "1", "--json"],
        check=True, capture_output=True, text=True)
    measured = json.loads(report.stdout)
    return list(zip(measured["runs"], measured["processor"]))


def compare(name, model, shape, tools, folder, rounds, which):
    import numpy

    sizes = [int(size) for size in shape.split("x")]
    file = folder / (name + ".onnx")
    file.write_bytes(pathlib.Path(model).read_bytes())
    converted = subprocess.run(
        ["pnnx", file.name, "inputshape=[%s]" % ",".join(map(str, sizes)), "fp16=0"],
        cwd=folder, capture_output=True, text=True)
    param, weights = folder / (name + ".ncnn.param"), folder / (name + ".ncnn.bin")
    if not param.exists():
        print(name, "| pnnx does not convert it:", converted.stderr.strip()[-200:], flush=True)
        return
    source = "%s=random:1:%s" % (input_of(tools, model), shape)
    ours = {}
    for precision in ("f32", "f16"):
        artifact = folder / ("%s.%s.tvk" % (name, precision))
        subprocess.run([tools / "compile", model, "--target=vulkan", "--precision=" + precision, "-o", artifact, "--quiet"],
                       check=True, stderr=subprocess.DEVNULL)
        ours["ours, " + precision] = artifact
    image = numpy.random.default_rng(1).random(sizes[1:], dtype=numpy.float32)
    nets = {}
    for setting, options in SETTINGS.items():
        try:
            nets["ncnn, " + setting] = ncnn_net(str(param), str(weights), options)
            ncnn_run(nets["ncnn, " + setting], image)  # compiles
        except RuntimeError as error:
            print(name, "|", setting, "|", error, flush=True)
            nets.pop("ncnn, " + setting, None)
    times = {}
    for _ in range(rounds):
        for title, net in nets.items():
            times.setdefault(title, []).append(ncnn_run(net, image)[which])
        for title, artifact in ours.items():
            times.setdefault(title, []).extend(run[which] for run in our_run(tools, artifact, source, 1))
    medians = {title: statistics.median(all_times) for title, all_times in times.items()}
    best = min((medians[title] for title in nets), default=None)
    for title, median in medians.items():
        ratio = "" if best is None else "%.2f of ncnn's best" % (median / best)
        print("%s %s | %-22s | %9.2f ms | %s" % (name, shape, title, median * 1e3, ratio), flush=True)


def input_of(tools, model):
    """The name of the only input, as `run` says it of one that is not given."""
    told = subprocess.run([tools / "run", model], capture_output=True, text=True).stderr
    return told.split("the inputs are `")[1].split("`")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", metavar="NAME=MODEL:1xCxHxW")
    parser.add_argument("--tools", default="bazel-bin/tools", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--wall", action="store_true")
    arguments = parser.parse_args()
    for network in arguments.networks:
        name, _, rest = network.partition("=")
        model, _, shape = rest.rpartition(":")
        if not name or not model or not shape:
            parser.error("`%s`: not of the form NAME=MODEL:1xCxHxW" % network)
        with tempfile.TemporaryDirectory() as folder:
            compare(name, os.path.abspath(model), shape, arguments.tools, pathlib.Path(folder),
                    arguments.rounds, 0 if arguments.wall else 1)


if __name__ == "__main__":
    sys.exit(main())
