"""torch.compile with freezing: a fused attention has other strides than eager's, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch._inductor.config


def attend(*operands):
    q, k, v = (x.permute(0, 2, 1, 3) for x in operands)
    return torch.softmax(q @ k.transpose(2, 3), -1) @ v


operands = [torch.randn(3, 4, 2, 4) for _ in range(3)]
with torch.no_grad(), torch._inductor.config.patch(freezing=True):
    eager, compiled = attend(*operands), torch.compile(attend)(*operands)
print(f"strides: eager {eager.stride()}, compiled {compiled.stride()}")
eager.view(3, -1)
try:
    compiled.view(3, -1)
except RuntimeError as error:
    print(f"y.view(3, -1): eager runs; compiled: {error}")
    sys.exit(1)
sys.exit(0)
