"""onnxruntime 1.31.1: output 0 (float32[]): min is off by 237 where the result is exact at its only
element; at [] it gives 255, and float64 492

A, compiled, gives other results than in float64.
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

x0 = np.array(492, np.int32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


A = Path(__file__).with_name("a.lowered.onnx").read_bytes()


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


expected = np.array(492, np.float64)  # in float64
allowed = 0  # the values are exact

a = output(prepare(A, [x0]))

difference = np.abs(a.astype(np.float64) - expected.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A (min):", a)
print("float64:", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
