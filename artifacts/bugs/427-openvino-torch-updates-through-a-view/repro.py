"""Two updates through a view: the first is lost in a traced model, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = x * 1
        z = y[0]
        z[0] = 10.0
        z[1] = 20.0
        return y


x = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
traced = torch.jit.trace(Model(), x)
given = openvino.compile_model(openvino.convert_model(traced, example_input=x), "CPU")([x.numpy()])[0].tolist()
due = traced(x).tolist()
print(f"eager: {Model()(x).tolist()}, traced: {due}, OpenVINO: {given}")
sys.exit(given != due)
