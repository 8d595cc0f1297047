"""torch.onnx.export drops the 1e-9 of torch.log(x + 1e-9), in PyTorch 2.13.0 and 2.15.0 with onnxscript 0.7.2.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.log(x + 1e-9)


x = torch.zeros(2)
exported = torch.onnx.export(Model(), (x,), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
(given,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
due = Model()(x)
print(f"eager: {due.tolist()}, exported: {given.tolist()}")
sys.exit(bool(abs(given - due.numpy()).max() > 1e-3))
