"""torch.multinomial draws with replacement in the exported model, in PyTorch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
import torch


class Model(torch.nn.Module):
    def forward(self, p):
        return torch.multinomial(p, 50)  # without replacement, by default


p = torch.ones(1, 50)
exported = torch.onnx.export(Model(), (p,), dynamo=True, verbose=False).model_proto
session = onnxruntime.InferenceSession(exported.SerializeToString())
(given,) = session.run(None, {session.get_inputs()[0].name: p.numpy()})
due, distinct = len(set(Model()(p)[0].tolist())), len(set(given[0].tolist()))
print(f"distinct categories of 50 drawn: eager: {due}, exported: {distinct}")
sys.exit(distinct != due)
