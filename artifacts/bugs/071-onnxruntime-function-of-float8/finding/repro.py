"""onnxruntime 1.32.0: original failed in compile: InvalidGraph: [ONNXRuntimeError] : 10 :
INVALID_GRAPH : This is an invalid model. Type Error: Type 'tensor(float8e4m3fn)' of input parameter
(x0) of operator (around) in node () is invalid.

A does not compile and run.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import ctypes
import sys
from pathlib import Path


def could_not_run(kind, error, trace):
    """Any error but the one that this is about."""
    sys.__excepthook__(kind, error, trace)
    print("could not run:", error)
    sys.exit(2)


sys.excepthook = could_not_run

import numpy as np
import onnxruntime
import ml_dtypes

x0 = np.array(0, ml_dtypes.float8_e4m3fn)

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


A = Path(__file__).with_name("a.lowered.onnx").read_bytes()

try:
    prepare(A, [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
