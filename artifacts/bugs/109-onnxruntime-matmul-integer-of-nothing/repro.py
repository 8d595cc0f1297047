"""MatMulInteger of the shapes [2, 0] and [0, 3] gives what lies in memory, where zeros are due, silently, in ONNX
Runtime 1.32.0.

The kernel writes nothing where there is nothing to sum. MatMul of float32 gives zeros, as it should be. So it is at
all levels. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a
finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import checker, parser
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

MODEL = """
<ir_version: 9, opset_import: ["" : 18]>
product (int8[2, k] a, int8[k, 3] b) => (int32[2, 3] y) {
    product = MatMulInteger (a, b)
    y = Abs (product)
}
"""
model = parser.parse_model(MODEL)
checker.check_model(model, full_check=True)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
given = []
for size in (4, 0, 4, 0):
    feeds = {"a": np.full((2, size), 3, np.int8), "b": np.full((size, 3), 3, np.int8)}
    given.append(session.run(None, feeds)[0].ravel())
    print(f"sum of {size} products:", given[-1])
sys.exit(int(any(y.any() for y in given[1::2])))
