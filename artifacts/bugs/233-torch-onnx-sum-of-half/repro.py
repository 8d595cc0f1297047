"""torch.onnx.export gives the sum of float16 along an axis as float32, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnx
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sum(0)


x = torch.tensor([1, 2], dtype=torch.float16)
exported = torch.onnx.export(Model(), (x,), dynamo=True, verbose=False).model_proto
given = onnx.TensorProto.DataType.Name(exported.graph.output[0].type.tensor_type.elem_type)
print(f"eager: {Model()(x).dtype}, exported: {given}")
sys.exit(given != "FLOAT16")
