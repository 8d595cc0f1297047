"""torch.compile with dynamic shapes does not take ``torch.gather`` with ``out=``, in PyTorch 2.15.0.

The meta kernel asks for the number of elements as an integer, to see whether the operands overlap. ``index_select`` and
``add`` with ``out=`` compile, and so does ``gather`` of static shapes. Exits 1 where the bug shows, 0 where it does not,
2 where this could not run. Reduced by hand from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def gathered(x, places):
    out = torch.empty_like(x)
    torch.gather(x, 0, places, out=out)
    return out


# The check: compiled, the program must do as eager does.
shown = False
for dynamic in (False, True):
    torch._dynamo.reset()
    try:
        compiled = torch.compile(gathered, dynamic=dynamic, fullgraph=True)
        print(f"dynamic={dynamic}:", compiled(torch.ones(3), torch.zeros(3, dtype=torch.int64)).tolist())
    except Exception as error:
        print(f"dynamic={dynamic}:", type(error).__name__, str(error).partition("\\n")[0][-300:])
        if not dynamic or "Cannot call numel() on tensor with symbolic sizes/strides" not in str(error):
            print("could not run: this is another error")
            sys.exit(2)
        shown = True
sys.exit(shown)
