"""ConvTranspose with two groups and output_shape drops the last elements alone, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser


def given(groups):
    """The first channel of the result; the kernel is 1, 10, 100 in each channel."""
    weights = ", ".join(["1, 10, 100"] * groups)
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        upsample (float[1, {groups}, 4] x) => (float[1, {groups}, 4] y) <float[{groups}, 1, 3] w = {{{weights}}}> {{
            y = ConvTranspose <group = {groups}, output_shape = [4]> (x, w)
        }}
    """)
    checker.check_model(model)
    x = np.tile(np.array([1, 2, 3, 4], np.float32), (1, groups, 1))
    core = openvino.Core()
    return core.compile_model(core.read_model(model.SerializeToString()), "CPU")([x])[0][0, 0].tolist()


DUE = [12, 123, 234, 340]  # of 1, 12, 123, 234, 340, 400, without one at each end
print("due:       ", DUE)
print("one group: ", given(1))
print("two groups:", given(2))
sys.exit(given(2) != DUE)
