"""torch.onnx.export fails on diagonal_scatter, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.diagonal_scatter(x, y)


inputs = torch.zeros(2, 2), torch.ones(2)
torch.export.export(Model(), inputs).run_decompositions()
try:
    torch.onnx.export(Model(), inputs, dynamo=True, verbose=False)
except torch.onnx.errors.OnnxExporterError as error:
    print(error.__cause__)
    sys.exit(1)
print("it is exported")
