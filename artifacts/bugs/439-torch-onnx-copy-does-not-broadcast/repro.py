"""x.copy_(row) is exported as the row alone, in PyTorch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch


class Model(torch.nn.Module):
    def forward(self, row):
        return torch.zeros(3, 4).copy_(row).sum()


row = torch.ones(4)
exported = torch.onnx.export(Model(), (row,), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
(given,) = session.run(None, {session.get_inputs()[0].name: row.numpy()})
due = Model()(row)
print(f"eager: {due.tolist()}, exported: {given.tolist()}")
sys.exit(given.tolist() != due.tolist())
