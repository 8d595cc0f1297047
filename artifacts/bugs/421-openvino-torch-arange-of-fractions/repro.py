"""torch.arange(0, 1, 0.25) of an exported program gives zeros, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + torch.arange(0, 1, 0.25)


x = torch.zeros(4)
converted = openvino.convert_model(torch.export.export(Model(), (x,)))
given = openvino.compile_model(converted, "CPU")([x.numpy()])[0].tolist()
due = Model()(x).tolist()
print(f"eager: {due}, OpenVINO: {given}")
sys.exit(given != due)
