"""Attention to nothing gives the mean of the values in the exported model, in PyTorch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, query, key, value, mask):
        return F.scaled_dot_product_attention(query, key, value, mask)


query, key, value = torch.ones(1, 1, 1, 2), torch.ones(1, 1, 2, 2), torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
mask = torch.tensor([[False, False]])
exported = torch.onnx.export(Model(), (query, key, value, mask), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
feeds = zip(session.get_inputs(), (query, key, value, mask))
(given,) = session.run(None, {port.name: array.numpy() for port, array in feeds})
due = Model()(query, key, value, mask)
print(f"eager: {due.tolist()}, exported: {given.tolist()}")
sys.exit(given.tolist() != due.tolist())
