"""torch.compile fails on torch.unique along a dimension that is not the first, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True  # else the graph breaks before the operator


def columns(x):
    return torch.unique(x, dim=1)


x = torch.tensor([[1.0, 2.0, 1.0], [3.0, 4.0, 3.0]])
print(f"eager: {columns(x).tolist()}")
try:
    print(f"compiled: {torch.compile(columns, fullgraph=True)(x).tolist()}")
except AssertionError as error:
    sys.exit(print(f"compiled: {error}") or 1)
