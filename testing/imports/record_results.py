"""record_results.py NODES.bin OUT.bin: asks ONNX Runtime, and where it has no answer ONNX's reference
evaluator, for the results of the nodes that `recorded nodes` wrote, and keeps those with an answer.

By hand, in an environment of its own (pip install onnx onnxruntime ml_dtypes); no part of the build.
"""
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator


def messages(data):
    """Messages behind their lengths, which are varints."""
    at = 0
    while at < len(data):
        size = shift = 0
        while True:
            byte = data[at]
            at += 1
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        yield data[at : at + size]
        at += size


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def with_output_types(model):
    try:
        return onnx.shape_inference.infer_shapes(model)
    except Exception:
        return model


def by_runtime(model, given):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # Rounding of results in half precision is its own.
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {i.name: given[i.name] for i in session.get_inputs()})


def by_evaluator(model, given):
    return ReferenceEvaluator(model).run(None, given)


def main(source, target):
    onnxruntime.set_default_logger_severity(4)
    kept = asked = 0
    with open(source, "rb") as nodes, open(target, "wb") as out:
        for data in messages(nodes.read()):
            asked += 1
            stored = onnx.ModelProto.FromString(data)
            model = onnx.ModelProto.FromString(data)
            constants = [t for t in stored.graph.initializer if not t.name.startswith("given ")]
            given = {t.name[6:]: numpy_helper.to_array(t) for t in stored.graph.initializer if t.name.startswith("given ")}
            del model.graph.initializer[:]
            model.graph.initializer.extend(constants)
            if model.opset_import[0].domain not in ("", "ai.onnx"):
                model.opset_import.append(onnx.helper.make_opsetid("", 17))
            results = None
            for ask in (by_runtime, by_evaluator):
                try:
                    results = ask(with_output_types(model), given)
                    break
                except Exception as error:
                    reason = str(error)
            tensors = results is not None and all(isinstance(r, (np.ndarray, np.generic)) for r in results)
            if not tensors or len(results) != len(stored.graph.output):
                continue
            for output, result in zip(stored.graph.output, results):
                stored.graph.initializer.append(numpy_helper.from_array(np.asarray(result), "expected " + output.name))
            data = stored.SerializeToString()
            out.write(varint(len(data)) + data)
            kept += 1
    print(kept, "of", asked, "nodes have results")


main(*sys.argv[1:])
