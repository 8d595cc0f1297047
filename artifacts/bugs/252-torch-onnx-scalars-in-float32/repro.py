"""torch.onnx.export rounds 1 / 3 to float32 in a float64 model, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1 / 3


x = torch.zeros(1, dtype=torch.float64)
exported = torch.onnx.export(Model(), (x,), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
(given,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
due = Model()(x)
print(f"eager: {due.item()}, exported: {given.item()}")
sys.exit(given.item() != due.item())
