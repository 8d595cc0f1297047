"""torch.compile with dynamic shapes cannot raise integers to a power that is a number, in PyTorch 2.15.0 on the CPU.

The lowering of ``pow`` hands the symbol to an operator that takes tensors. Floating types compile, a constant exponent
does, and so does all with the backends ``aot_eager`` and ``aot_eager_decomp_partition``. Exits 1 where the bug shows, 0
where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def raised(x, n):
    return x**n


# The check: compiled, the program must do as eager does.
shown = False
for backend in ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor"):
    torch._dynamo.reset()
    try:
        print(f"{backend}:", torch.compile(raised, backend=backend, dynamic=True)(torch.arange(4), 2).tolist())
    except Exception as error:
        print(f"{backend}: {type(error).__name__}", str(error).partition("\n\n")[0][:300])
        if backend != "inductor" or "aten::pow() Expected a value of type" not in str(error):
            print("could not run: this is another error")
            sys.exit(2)
        shown = True
sys.exit(shown)
