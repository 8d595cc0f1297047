"""torch.compile lets int64 numbers of torch.arange wrap around in 32 bits, in PyTorch 2.15.0 on the CPU.

The step fits 32 bits, and the numbers do not. Eight of them fill a vector of AVX512; three show it with AVX2. Exits 1
where the bug shows, 0 where it does not, 2 where this could not run. Reduced from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def numbers():
    return torch.arange(0, 8 * 2147483647, 2147483647, dtype=torch.int64)


# The check: compiled, the program must do as eager does.
eager, compiled = numbers(), torch.compile(numbers)()
print(f"eager: {eager.tolist()}, compiled: {compiled.tolist()}")
sys.exit(not torch.equal(eager, compiled))
