"""masked_select does not broadcast the mask in a traced model, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x, mask):
        return x.masked_select(mask.unsqueeze(-1))


inputs = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([True, False])
traced = torch.jit.trace(Model(), inputs)
converted = openvino.convert_model(traced, example_input=inputs)
given = openvino.compile_model(converted, "CPU")([x.numpy() for x in inputs])[0].tolist()
due = traced(*inputs).tolist()
print(f"traced: {due}, OpenVINO: {given}")
sys.exit(given != due)
