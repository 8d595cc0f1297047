"""clamp of integers with one bound does not compile, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0)


try:
    module = from_exported_program(torch.export.export(Model(), (torch.tensor([-1, 1]),)))
    tvm.compile(module, target=tvm.target.Target("llvm"))
except RuntimeError as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit(1)
print("it compiles")
