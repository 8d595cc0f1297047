"""The mean of 60000 and 60000 in float16 is inf after the import of an exported program, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x, y, z):
        return x.mean(-1), torch.linalg.vector_norm(y, dim=-1), torch.nn.functional.adaptive_avg_pool1d(x, 1), z.sum(-1)


inputs = torch.tensor([[60000.0, 60000]]).half(), torch.tensor([[300.0, 400]]).half(), torch.ones(1, 4096).half()
module = from_exported_program(torch.export.export(Model(), inputs))
machine = tvm.relax.VirtualMachine(tvm.compile(module, target=tvm.target.Target("llvm")), tvm.cpu())
given = [torch.from_dlpack(x).item() for x in machine["main"](*map(tvm.runtime.from_dlpack, inputs))]
due = [x.item() for x in Model()(*inputs)]
print(f"eager: {due}, TVM: {given}")
sys.exit(given != due)
