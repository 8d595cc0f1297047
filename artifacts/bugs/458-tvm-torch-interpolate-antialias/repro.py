"""F.interpolate ignores antialias=True after the import of an exported program, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.interpolate(x, size=(1, 2), mode="bilinear", antialias=True)


inputs = (torch.tensor([[[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0]]]]),)
module = from_exported_program(torch.export.export(Model(), inputs))
machine = tvm.relax.VirtualMachine(tvm.compile(module, target=tvm.target.Target("llvm")), tvm.cpu())
given = torch.from_dlpack(machine["main"](*map(tvm.runtime.from_dlpack, inputs))[0])
due = Model()(*inputs)
print(f"eager: {due.tolist()}, TVM: {given.tolist()}")
sys.exit(not torch.allclose(given, due))
