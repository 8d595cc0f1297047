"""torch.onnx.export divides int64 with a rounding mode in float32, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.div(x, 3, rounding_mode="floor")


x = torch.tensor([862390883])
exported = torch.onnx.export(Model(), (x,), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
(given,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
due = Model()(x)
print(f"eager: {due.item()}, exported: {given.item()}")
sys.exit(given.item() != due.item())
