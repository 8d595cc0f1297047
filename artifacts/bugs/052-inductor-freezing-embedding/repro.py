"""embedding at a frozen index of rank 0 does not compile, in TorchInductor 2.15.0 on the CPU with `freezing`.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch
import torch._inductor.config


class Row(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("index", torch.tensor(0, dtype=torch.int32))

    def forward(self, x):
        return torch.embedding(x.abs(), self.index)


def compiles(freezing):
    torch._dynamo.reset()
    try:
        with torch.no_grad(), torch._inductor.config.patch(freezing=freezing):
            print("freezing" if freezing else "compiled:", torch.compile(Row().eval())(x).tolist())
    except Exception as error:
        print("freezing:", type(error).__name__, " ".join(str(error).split())[:80])
        return False
    return True


x = torch.ones(2, 3)

# The check: compiled, the program must do as eager does.
print("eager:", Row()(x).tolist())
if not compiles(freezing=False):
    print("could not run")
    sys.exit(2)
sys.exit(0 if compiles(freezing=True) else 1)
