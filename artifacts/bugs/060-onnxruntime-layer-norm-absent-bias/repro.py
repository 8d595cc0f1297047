"""LayerNormalization whose optional bias is absent, but named as "", ends ONNX Runtime 1.32.0 on the CPU.

ONNX says that an optional input at the end may be left out, or be named "": both mean the same. Where it is left out,
the model runs, and so it does with optimizations at the basic level. Each model is loaded in a process of its own.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import subprocess
import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, checker, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

LEFT_OUT, NAMED = "bias left out", 'bias named as ""'


def run(inputs):
    """Load and run a LayerNormalization of these inputs; its result."""
    graph = helper.make_graph(
        [helper.make_node("LayerNormalization", inputs, ["y"])],
        "layer_normalization",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor("scale", TensorProto.FLOAT, [2], [1, 1])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.array([[1, 3]], np.float32)})[0]


if len(sys.argv) > 1:
    print(run(["x", "scale"] if sys.argv[1] == LEFT_OUT else ["x", "scale", ""]))
    sys.exit(0)

ended = {}
for case in (LEFT_OUT, NAMED):
    done = subprocess.run([sys.executable, __file__, case], capture_output=True, text=True, timeout=120)
    ended[case] = done.returncode
    print(f"{case:18}", done.stdout.strip() or f"the process ended with status {done.returncode}")
sys.exit(2 if ended[LEFT_OUT] else 1 if ended[NAMED] else 0)
