"""x[i, j] with negative indices takes elements of other rows, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x, i, j):
        return x[i, j]


inputs = torch.arange(9.0).reshape(3, 3), torch.tensor([1, 2]), torch.tensor([-1, -1])
converted = openvino.convert_model(torch.export.export(Model(), inputs))
given = openvino.compile_model(converted, "CPU")([x.numpy() for x in inputs])[0].tolist()
due = Model()(*inputs).tolist()
print(f"eager: {due}, OpenVINO: {given}")
sys.exit(given != due)
