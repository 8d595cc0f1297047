"""expm1 and log1p of small numbers give 0 through TVM's importer of Torch programs, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.expm1(x), torch.log1p(x)


x = torch.tensor([1e-8, -0.0])
module = from_exported_program(torch.export.export(Model(), (x,)))
machine = tvm.relax.VirtualMachine(tvm.compile(module, target=tvm.target.Target("llvm")), tvm.cpu())
given = [torch.from_dlpack(y).tolist() for y in machine["main"](tvm.runtime.from_dlpack(x))]
due = [y.tolist() for y in Model()(x)]
print(f"eager: {due}, TVM: {given}")
sys.exit(given[0][0] != due[0][0] or given[1][0] != due[1][0])
