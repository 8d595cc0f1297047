"""scatter_reduce with reduce="mean" overwrites in the exported model, in PyTorch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch


class Model(torch.nn.Module):
    def forward(self, x, index, values):
        return x.scatter_reduce(0, index, values, reduce="mean", include_self=False)


x, index, values = torch.zeros(2), torch.tensor([0, 0, 1]), torch.tensor([5.0, 7.0, 9.0])
exported = torch.onnx.export(Model(), (x, index, values), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
feeds = zip(session.get_inputs(), (x, index, values))
(given,) = session.run(None, {port.name: array.numpy() for port, array in feeds})
due = Model()(x, index, values)
print(f"eager: {due.tolist()}, exported: {given.tolist()}")
sys.exit(given.tolist() != due.tolist())
