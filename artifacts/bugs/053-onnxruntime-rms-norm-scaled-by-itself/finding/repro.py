"""onnxruntime 1.32.0: max failed in compile: InvalidArgument: [ONNXRuntimeError] : 2 :
INVALID_ARGUMENT : Invalid model. Node input 'v42' is not a graph input, initializer, or output of a
previous node.

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

cut0_0 = np.array([
    0.9333333333333333, 0.9333333333333333, 2.933333333333333, -2.066666666666667,
    -4.066666666666666, -5.066666666666666, -4.066666666666666, 2.933333333333333,
    3.933333333333333, 4.933333333333334, -2.066666666666667, 0.9333333333333333,
    1.9333333333333333, -2.066666666666667, -0.06666666666666667,
], np.float64)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


A = Path(__file__).with_name("a.lowered.onnx").read_bytes()

try:
    prepare(A, [cut0_0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
