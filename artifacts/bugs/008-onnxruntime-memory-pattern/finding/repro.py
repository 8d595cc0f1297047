"""onnxruntime: output 0 (bool[8, 5, 8, 7]) differs at 392 of 2240 elements; at [0, 0, 1, 0] min gives True, max gives False, float64 1

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys
from pathlib import Path

TIME_LIMIT = 240  # seconds; a run that takes longer counts as a hang
HERE = Path(__file__).resolve().parent
CHILD = "--child"
SHOWS, FINE, NOT_RUN = 10, 0, 2  # how the child ends, if it is not a crash


def supervise():
    """Run this file in a child process, so that a crash or a hang of the compiler can be seen."""
    try:
        status = subprocess.run([sys.executable, __file__, CHILD], timeout=TIME_LIMIT).returncode
    except subprocess.TimeoutExpired:
        print("the compiler did not finish in", TIME_LIMIT, "s")
        return 2
    return {SHOWS: 1, FINE: 0, NOT_RUN: 2}.get(status, 2)


if CHILD not in sys.argv:
    sys.exit(supervise())

try:
    import numpy as np
    import onnxruntime

    ARRAYS = np.load(HERE / "inputs.npz")
except (ImportError, OSError) as error:
    print("could not run:", error)
    sys.exit(NOT_RUN)

def execute(model, inputs):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    session.run(None, feeds)  # in some releases only the second run is wrong: the first wrote over a constant
    return session.run(None, feeds)


def array(name):
    """An array of inputs.npz; bfloat16 is stored as the uint16 of its bits, under a name that says so."""
    if name + "@bfloat16" in ARRAYS:
        import ml_dtypes

        return ARRAYS[name + "@bfloat16"].view(ml_dtypes.bfloat16)
    return ARRAYS[name]


def run(name, arguments=()):
    """Compile and call a model: its inputs, then the arrays that it takes as arguments."""
    inputs = [array("input_%d" % i) for i in range(2)] + [array(name) for name in arguments]
    return execute((HERE / name).read_bytes(), inputs)


def values(output):
    return np.asarray(output)


def gap(x, y):
    """|x - y|; infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


a = values(run("a.lowered.onnx", arguments=['v6'])[0])
b = values(run("b.lowered.onnx")[0])
if a.shape != b.shape:
    print("shapes differ:", a.shape, b.shape)
    sys.exit(SHOWS)
difference = gap(a, b)
wrong = difference > ARRAYS["allowed"]
print("min:", a[wrong][:8], "...")
print("max:", b[wrong][:8], "...")
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(SHOWS if wrong.any() else FINE)
