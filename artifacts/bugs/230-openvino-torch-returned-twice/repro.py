"""A Torch program that returns a computed tensor twice is not converted, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        return y, y


program = torch.export.export(Model(), (torch.tensor([-1.0, 2.0]),))
try:
    openvino.convert_model(program)
except Exception as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit(1)
print("it is converted")
