"""onnxruntime 1.32.0: output 0 (bool[]): original is off by 1 where the result is exact at its only
element; at [] it gives True, and float64 False

A, compiled, gives other results than in float64.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import ctypes
import sys


def could_not_run(kind, error, trace):
    """Any error but the one that this is about."""
    sys.__excepthook__(kind, error, trace)
    print("could not run:", error)
    sys.exit(2)


sys.excepthook = could_not_run

import numpy as np
import onnxruntime
import ml_dtypes
from onnx import TensorProto, helper

x0 = np.array(-0.0, ml_dtypes.float8_e4m3fn)

CODES = {"float8_e4m3fn": 17, "float8_e5m2": 19, "uint4": 21, "int4": 22}  # ONNX's numbers of these types


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: value(x) for v, x in zip(session.get_inputs(), inputs)}
    return lambda: [array(y) for y in session.run_with_ort_values(None, feeds)]


def value(x):
    if x.dtype.name not in CODES:
        return onnxruntime.OrtValue.ortvalue_from_numpy(x)
    bits = x.view(np.uint8)
    if "int4" in x.dtype.name:  # two lie in a byte
        flat = np.append(bits.reshape(-1) & 15, np.zeros(x.size, np.uint8))
        bits = (flat[::2] | flat[1::2] << 4).reshape(x.shape)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, CODES[x.dtype.name])


def array(y):
    name = y.data_type()[7:-1].replace("float8", "float8_")
    if name not in CODES:
        return y.numpy()
    size = int(np.prod(y.shape(), dtype=int))
    bits = np.frombuffer(ctypes.string_at(y.data_ptr(), -(-size // 2) if "int4" in name else size), np.uint8)
    if "int4" in name:
        bits = np.stack([bits & 15, bits >> 4], -1).reshape(-1)[:size]
    return bits.view(getattr(ml_dtypes, name)).reshape(y.shape())


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT8E4M3FN, [])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.BOOL, [])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Cast", ["x0"], ["y"], to=9),
])


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


expected = np.array(False, bool)  # in float64
allowed = 0  # the values are exact

a = output(prepare(A, [x0]))

difference = np.abs(a.astype(np.float64) - expected.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A (original):", a)
print("float64:     ", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
