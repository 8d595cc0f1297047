"""torch.onnx.export ignores label_smoothing of cross_entropy, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, label):
        return F.cross_entropy(x, label, label_smoothing=0.5)


x, label = torch.tensor([[4.0, 0.0]]), torch.tensor([0])
exported = torch.onnx.export(Model(), (x, label), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
(given,) = session.run(None, dict(zip([value.name for value in session.get_inputs()], [x.numpy(), label.numpy()])))
due = Model()(x, label).item()
print(f"eager: {due}, exported: {given}")
sys.exit(bool(abs(given - due) > 1e-3))
