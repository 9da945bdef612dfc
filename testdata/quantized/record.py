"""record.py TESTDATA COMPRESS OUT: quantizes networks of TESTDATA as users do and records what ONNX Runtime, without
graph optimizations, computes of them.

COMPRESS is our `compress`. By hand, in an environment of its own (pip install onnx==1.19.1 onnxruntime==1.32.0
sympy); no part of the build.
"""
import os
import subprocess
import sys

import numpy as np
import onnx
import onnx.utils
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

SETS = 3  # data sets that are stored; samples are twice as many


class Samples(CalibrationDataReader):
    def __init__(self, name, samples):
        self.left = iter([{name: sample} for sample in samples])

    def get_next(self):
        return next(self.left, None)


def stored(path):
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    return numpy_helper.to_array(tensor)


def store(path, array):
    with open(path, "wb") as file:
        file.write(numpy_helper.from_array(array).SerializeToString())


def samples_near(sample, noise, seed):
    """The recorded input, then others whose results differ from its."""
    random = np.random.default_rng(seed)
    spread = noise * sample.std()
    others = [sample * random.uniform(0.7, 1.2) + random.normal(0, spread, sample.shape) for _ in range(2 * SETS - 1)]
    return [sample] + [other.astype(np.float32) for other in others]


def input_name(path):
    return onnx.load(path).graph.input[0].name


def record(folder, samples):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(folder + "/model.onnx", options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    for index, sample in enumerate(samples[:SETS]):
        data = "%s/test_data_set_%d" % (folder, index)
        os.makedirs(data)
        store(data + "/input_0.pb", sample)
        for position, result in enumerate(session.run(None, {name: sample})):
            store("%s/output_%d.pb" % (data, position), result)
    print(folder, os.path.getsize(folder + "/model.onnx"), "bytes")


def quantized(source, folder, samples, form, activations):
    os.makedirs(folder)
    prepared = folder + "/prepared.onnx"
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    quantize_static(
        prepared,
        folder + "/model.onnx",
        Samples(input_name(prepared), samples),
        quant_format=form,
        per_channel=True,
        activation_type=activations,
        weight_type=QuantType.QInt8,
    )
    os.remove(prepared)
    record(folder, samples)


def compressed(compress, source, folder, samples, preset="circle"):
    os.makedirs(folder)
    data = folder + "/samples"
    for index, sample in enumerate(samples):
        os.makedirs("%s/test_data_set_%d" % (data, index))
        store("%s/test_data_set_%d/input_0.pb" % (data, index), sample)
    command = [compress, source, "--preset", preset, "--data", data, "-o", folder + "/model.onnx", "--quiet"]
    subprocess.run(command, check=True)
    for index in range(len(samples)):
        os.remove("%s/test_data_set_%d/input_0.pb" % (data, index))
        os.rmdir("%s/test_data_set_%d" % (data, index))
    os.rmdir(data)
    record(folder, samples)


def main(testdata, compress, out):
    keywords = testdata + "/kws_dscnn/model.onnx"
    sample = stored(testdata + "/kws_dscnn/test_data_set_0/input_0.pb")
    samples = samples_near(sample, 1, 7)
    # Of its last features too: its answer hardly depends on what it hears.
    nodes = onnx.load(keywords).graph.node
    pooled = [node for node in nodes if "Pool" in node.op_type][-1].input[0]
    logits = [node for node in nodes if node.op_type == "Gemm"][-1].output[0]
    cut = out + "/cut.onnx"
    onnx.utils.extract_model(keywords, cut, [input_name(keywords)], [pooled, logits])
    quantized(cut, out + "/kws_qdq", samples, QuantFormat.QDQ, QuantType.QInt8)
    compressed(compress, cut, out + "/kws_compress", samples)
    compressed(compress, cut, out + "/kws_dynamic", samples, "dynamic-int8")
    os.remove(cut)
    quantized(keywords, out + "/kws_qoperator", samples, QuantFormat.QOperator, QuantType.QUInt8)

    unet = testdata + "/unet_d1_padded/model.onnx"
    image = stored(testdata + "/unet_d1_padded/test_data_set_0/input_0.pb")[:, :, :33, :47]
    samples = samples_near(image, 0.1, 8)
    quantized(unet, out + "/unet_qdq", samples, QuantFormat.QDQ, QuantType.QInt8)
    quantized(unet, out + "/unet_qoperator", samples, QuantFormat.QOperator, QuantType.QUInt8)

    speech = testdata + "/denoise_gru/model.onnx"
    sound = stored(testdata + "/denoise_gru/test_data_set_0/input_0.pb")[:, :12]
    os.makedirs(out + "/gru_dynamic")
    quantize_dynamic(speech, out + "/gru_dynamic/model.onnx")
    record(out + "/gru_dynamic", samples_near(sound, 0.5, 9))


if __name__ == "__main__":
    main(*sys.argv[1:])
