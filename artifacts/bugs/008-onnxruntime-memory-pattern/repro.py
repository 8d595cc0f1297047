"""The second run of a session is wrong in ONNX Runtime 1.17.3 on the CPU: the memory pattern lets buffers overlap.

Exits 1 where the bug shows, 0 where it does not (1.31.1), 2 where this could not run. The model is `model.onnx`.
"""

import sys
from pathlib import Path

try:
    import numpy as np
    import onnxruntime
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

HERE = Path(__file__).resolve().parent
ARRAYS = np.load(HERE / "inputs.npz")


def wrong_elements(pattern):
    """How many elements of each output differ between the first and the second run."""
    options = onnxruntime.SessionOptions()
    options.enable_mem_pattern = pattern
    session = onnxruntime.InferenceSession(str(HERE / "model.onnx"), options, providers=["CPUExecutionProvider"])
    feeds = {value.name: ARRAYS["input_%d" % i] for i, value in enumerate(session.get_inputs())}
    first, second = session.run(None, feeds), session.run(None, feeds)
    return [int((a != b).sum()) for a, b in zip(first, second)]


print("without memory pattern", wrong_elements(False))
print("with memory pattern   ", wrong_elements(True))
sys.exit(int(any(wrong_elements(True))))
