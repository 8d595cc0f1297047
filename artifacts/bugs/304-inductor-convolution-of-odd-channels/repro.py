"""Inductor: an infinity in one pixel makes its left neighbour NaN in a bfloat16 conv2d, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. It takes a CPU with AVX512_BF16.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch.nn.functional as F

x = torch.ones(1, 3, 6, 6, dtype=torch.bfloat16)
x[0, 0, 3, 3] = float("inf")
w = torch.ones(4, 3, 1, 1, dtype=torch.bfloat16)
eager, compiled = (conv(x, w)[0, 0].isnan().nonzero().tolist() for conv in (F.conv2d, torch.compile(F.conv2d)))
print(f"places of NaN: eager {eager}, compiled {compiled}")
sys.exit(eager != compiled)
