"""EmbeddingBag adds the row of padding_idx to its bags, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
import torch

weight = torch.tensor([[5.0], [1.0], [2.0], [3.0]])
model = torch.nn.EmbeddingBag.from_pretrained(weight, mode="sum", padding_idx=0)
x = torch.tensor([[1, 0], [2, 3]])  # a bag of one element, and a bag of two
converted = openvino.convert_model(torch.export.export(model, (x,)))
given = openvino.compile_model(converted, "CPU")([x.numpy()])[0].ravel().tolist()
due = model(x).ravel().tolist()
print(f"eager: {due}, OpenVINO: {given}")
sys.exit(given != due)
