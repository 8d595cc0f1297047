"""torch.compile cannot add 40 numbers at one place, in PyTorch 2.13.0 on the CPU, where it uses several threads.

``index_add``, and ``index_put`` with ``accumulate=True``, fail with an AssertionError: the place is the same for all
lanes of a vector, and the C++ backend asks for a vector of places. Exits 1 where the bug shows, 0 where it does not, 2
where this could not run. Reduced by hand from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

torch.set_num_threads(2)


def added(x, values):
    return torch.index_add(x, 0, torch.zeros(40, dtype=torch.int64), values)


# The check: compiled, the program must do as eager does.
shown = False
for backend in ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor"):
    torch._dynamo.reset()
    try:
        print(f"{backend}:", torch.compile(added, backend=backend)(torch.ones(3), torch.ones(40)).tolist())
    except Exception as error:
        print(f"{backend}: {type(error).__name__}", str(error).partition("\n\n")[0][:300])
        if backend != "inductor" or "InductorError" not in type(error).__name__:
            print("could not run: this is another error")
            sys.exit(2)
        shown = True
sys.exit(shown)
