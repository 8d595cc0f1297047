"""torch.onnx.export writes operators of element types that ONNX does not have, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnx
import torch


class Power(torch.nn.Module):
    def forward(self, x):
        return x**2


class Least(torch.nn.Module):
    def forward(self, x):
        return torch.amin(x, 0)


wrong = 0
for model, dtype in ((Power(), torch.uint8), (Least(), torch.int16)):
    x = torch.tensor([2, 3], dtype=dtype)
    exported = torch.onnx.export(model, (x,), dynamo=True, verbose=False).model_proto
    try:
        onnx.checker.check_model(exported, full_check=True)
    except onnx.shape_inference.InferenceError as error:
        print(str(error).strip().splitlines()[-1])
        wrong += 1
sys.exit(wrong > 0)
