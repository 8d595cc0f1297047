"""torch.linalg.norm(A, 1) of a matrix gives the norm of a vector in a traced model, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.stack([torch.linalg.norm(x, ord) for ord in (1, 2, float("inf"))])


x = torch.tensor([[1.0, 2.0], [3.0, -4.0]])
traced = torch.jit.trace(Model(), x)
given = openvino.compile_model(openvino.convert_model(traced, example_input=x), "CPU")([x.numpy()])[0]
due = traced(x)
print(f"traced: {due.tolist()}, OpenVINO: {given.tolist()}")
sys.exit(not torch.allclose(torch.tensor(given), due, rtol=1e-3))
