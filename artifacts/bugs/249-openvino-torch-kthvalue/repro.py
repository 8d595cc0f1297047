"""The indices of kthvalue are wrong through OpenVINO's frontend for Torch, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.kthvalue(x, 1, 0, keepdim=True)


x = torch.tensor([3.0, 1.0, 2.0])
converted = openvino.convert_model(torch.export.export(Model(), (x,)))
compiled = openvino.compile_model(converted, "CPU")
given = compiled([x.numpy()])[1]
due = Model()(x).indices
print(f"eager: {due.dtype} {due.tolist()}, OpenVINO: {given.dtype} {given.tolist()}")
sys.exit(given.tolist() != due.tolist())
