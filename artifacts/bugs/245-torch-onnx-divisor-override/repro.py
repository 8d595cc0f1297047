"""torch.onnx.export ignores divisor_override of avg_pool2d, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.avg_pool2d(x, 2, divisor_override=2)


x = torch.ones(1, 1, 2, 2)
exported = torch.onnx.export(Model(), (x,), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
(given,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
due = Model()(x)
print(f"eager: {due.tolist()}, exported: {given.tolist()}")
sys.exit(given.tolist() != due.tolist())
