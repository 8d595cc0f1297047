"""x[:1].expand_as(x) with a dynamic axis reads behind the slice, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x):
        return x[:1].expand_as(x)


inputs = (torch.tensor([[1.0], [2.0], [3.0]]),)
shapes = ({0: torch.export.Dim("n", min=2, max=64)},)
module = from_exported_program(torch.export.export(Model(), inputs, dynamic_shapes=shapes))
machine = tvm.relax.VirtualMachine(tvm.compile(module, target=tvm.target.Target("llvm")), tvm.cpu())
given = torch.from_dlpack(machine["main"](*map(tvm.runtime.from_dlpack, inputs))[0])
due = Model()(*inputs)
print(f"eager: {due.tolist()}, TVM: {given.tolist()}")
sys.exit(not torch.equal(given, due))
