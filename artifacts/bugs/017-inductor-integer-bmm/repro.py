"""A batch of integer matrix products comes out as int64 from TorchInductor of torch 2.13.0 on the CPU.

Where one side of each product is a single row or column, bmm is decomposed into a product and a sum, and the sum of
int32 (or int8, ...) is int64. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced
by hand from a finding.
"""

import sys

try:
    import torch
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

x, y = torch.ones(48, 1, 3, dtype=torch.int32), torch.ones(48, 3, 2, dtype=torch.int32)
eager, compiled = torch.bmm(x, y), torch.compile(torch.bmm)(x, y)
print("eager", eager.dtype, eager[0])
print("inductor", compiled.dtype, compiled[0])
sys.exit(int(compiled.dtype != eager.dtype))
