"""F.unfold is not imported from Torch, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch.nn.functional as F
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x):
        return F.unfold(x, 2)


try:
    module = from_exported_program(torch.export.export(Model(), (torch.ones(1, 1, 3, 3),)))
    tvm.compile(module, target=tvm.target.Target("llvm"))
except ValueError as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit(1)
print("it compiles")
