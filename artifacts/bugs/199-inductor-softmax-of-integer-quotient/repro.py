"""torch.compile gives NaN for softmax(x / 2) of integers, in PyTorch 2.15.0 on the CPU.

The pass that keeps softmax stable subtracts the largest element before the division, in the type of x: int32 overflows.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def weights(x):
    return torch.softmax(x / 2.0, -1)


inputs = {
    "int32": torch.tensor([1_300_000_000, -1_800_000_000], dtype=torch.int32),
    "int8": torch.tensor([100, -100], dtype=torch.int8),
}

# The check: compiled, the program must do as eager does.
wrong = False
for dtype, x in inputs.items():
    results = {}
    for backend in ("eager", "inductor"):
        torch._dynamo.reset()
        with torch.no_grad():
            results[backend] = torch.compile(weights, backend=backend)(x)
        print(f"{dtype} {backend}: {results[backend].tolist()}")
    wrong |= not torch.allclose(results["eager"], results["inductor"], equal_nan=True)
sys.exit(int(wrong))
