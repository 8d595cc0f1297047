"""A batch of integer matrix products comes out as int64 from TorchInductor of torch 2.13.0 on the CPU.

Where one side of each product is a single row or column, bmm is decomposed into a product and a sum, and the sum of
int32 (or int8, ...) is int64. Values that should wrap around do not: of int8, 100 + 100 gives 200 where -56 is due.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch

# The check: compiled, the program must do as eager does.
wrong = False
for dtype in (torch.int32, torch.int8):
    x, y = torch.full((48, 1, 2), 100, dtype=dtype), torch.ones(48, 2, 2, dtype=dtype)
    eager, compiled = torch.bmm(x, y), torch.compile(torch.bmm)(x, y)
    print("eager", eager.dtype, eager[0].tolist())
    print("inductor", compiled.dtype, compiled[0].tolist())
    wrong |= compiled.dtype != eager.dtype or not torch.equal(compiled, eager)
sys.exit(int(wrong))
