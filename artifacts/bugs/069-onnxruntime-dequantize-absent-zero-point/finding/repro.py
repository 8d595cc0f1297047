"""onnxruntime 1.32.0: min failed in compile: Fail: [ONNXRuntimeError] : 1 : FAIL : Type Error: Type
(tensor(int32)) of output arg (QuantizeLinear_out0) of node (QuantizeLinear) does not match expected
type (tensor(uint8)).

A does not compile and run.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

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

x0 = np.array(0, np.int32)
x1 = np.array(0, np.float32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


A = Path(__file__).with_name("a.lowered.onnx").read_bytes()

try:
    prepare(A, [x0, x1])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
