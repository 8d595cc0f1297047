"""torch.std(x) of an exported program divides by N, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.stack([torch.std(x), torch.var(x)])


x = torch.tensor([1.0, 2.0, 3.0])
converted = openvino.convert_model(torch.export.export(Model(), (x,)))
given = openvino.compile_model(converted, "CPU")([x.numpy()])[0]
due = Model()(x)
print(f"eager: {due.tolist()}, OpenVINO: {given.tolist()}")
sys.exit(not torch.allclose(torch.tensor(given), due, rtol=1e-3))
