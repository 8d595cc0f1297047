"""argmax of [NaN, 1, 2] gives 2 after the import of an exported program, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x):
        return x.argmax(-1), x.argmin(-1)


inputs = (torch.tensor([[torch.nan, 1, 2], [1, 2, torch.nan]]),)
module = from_exported_program(torch.export.export(Model(), inputs))
machine = tvm.relax.VirtualMachine(tvm.compile(module, target=tvm.target.Target("llvm")), tvm.cpu())
given = [torch.from_dlpack(x).tolist() for x in machine["main"](*map(tvm.runtime.from_dlpack, inputs))]
due = [x.tolist() for x in Model()(*inputs)]
print(f"eager: {due}, TVM: {given}")
sys.exit(given != due)
