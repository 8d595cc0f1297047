"""torch.compile fails where a column of complex constants is added, in PyTorch 2.15.0 on the CPU.

The sum of complex numbers is made of views as real numbers. The copy of the constant is given the strides (1, 3), of
which there is no such view. Where the column is an input it works. Exits 1 where the bug shows, 0 where it does not, 2
where this could not run. Reduced by hand from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def added(x):
    return x + torch.tensor([[1j], [2j], [3j]])


# The check: compiled, the program must do as eager does.
shown = False
for backend in ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor"):
    torch._dynamo.reset()
    try:
        print(f"{backend}:", torch.compile(added, backend=backend)(torch.zeros(3, 4, dtype=torch.complex64)).tolist())
    except Exception as error:
        print(f"{backend}: {type(error).__name__}", str(error).partition("\n\n")[0][:300])
        if backend != "inductor" or "must be 1 to view ComplexFloat as Float" not in str(error):
            print("could not run: this is another error")
            sys.exit(2)
        shown = True
sys.exit(shown)
