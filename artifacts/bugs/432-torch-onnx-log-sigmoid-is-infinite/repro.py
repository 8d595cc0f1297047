"""logsigmoid of -200 and logaddexp of 100 and 100 are infinite in exported models, in PyTorch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.stack([F.logsigmoid(x), torch.logaddexp(y, y)])


x, y = torch.tensor(-200.0), torch.tensor(100.0)
exported = torch.onnx.export(Model(), (x, y), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
feeds = zip(session.get_inputs(), (x, y))
(given,) = session.run(None, {port.name: array.numpy() for port, array in feeds})
due = Model()(x, y)
print(f"eager: {due.tolist()}, exported: {given.tolist()}")
sys.exit(not abs(given - due.numpy()).max() < 1e-3)
