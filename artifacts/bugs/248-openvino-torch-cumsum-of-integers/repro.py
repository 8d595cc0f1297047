"""cumsum and prod of int8 overflow through OpenVINO's frontend for Torch, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(x, 0)


x = torch.tensor([100, 100], dtype=torch.int8)
converted = openvino.convert_model(torch.export.export(Model(), (x,)))
given = openvino.compile_model(converted, "CPU")([x.numpy()])[0]
due = Model()(x)
print(f"eager: {due.dtype} {due.tolist()}, OpenVINO: {given.dtype} {given.tolist()}")
sys.exit(given.tolist() != due.tolist())
