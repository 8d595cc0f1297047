"""x[mask] = 0 with a mask of rows sets columns, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x, mask):
        x = x.clone()
        x[mask] = 0.0
        return x


inputs = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([True, False])
converted = openvino.convert_model(torch.export.export(Model(), inputs))
given = openvino.compile_model(converted, "CPU")([x.numpy() for x in inputs])[0].tolist()
due = Model()(*inputs).tolist()
print(f"eager: {due}, OpenVINO: {given}")
sys.exit(given != due)
