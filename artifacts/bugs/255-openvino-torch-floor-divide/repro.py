"""-1 // 2 gives 0 through OpenVINO's frontend for Torch, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x // 2


x = torch.tensor([-1, -3, 5])
converted = openvino.convert_model(torch.export.export(Model(), (x,)))
given = openvino.Core().compile_model(converted, "CPU")([x.numpy()])[0].tolist()
due = Model()(x).tolist()
print(f"eager: {due}, OpenVINO: {given}")
sys.exit(given != due)
