"""Products of matrices and convolutions of float64, halves and integers become float32, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x):
        return x @ x


wrong = False
for dtype in (torch.float64, torch.float16, torch.int64):
    x = torch.tensor([[3 if dtype == torch.float16 else 4097]], dtype=dtype)
    module = from_exported_program(torch.export.export(Model(), (x,)))
    machine = tvm.relax.VirtualMachine(tvm.compile(module, target=tvm.target.Target("llvm")), tvm.cpu())
    given, due = torch.from_dlpack(machine["main"](tvm.runtime.from_dlpack(x))[0]), Model()(x)
    print(f"eager: {due.dtype} {due.item()}, TVM: {given.dtype} {given.item()}")
    wrong |= given.dtype != due.dtype
sys.exit(wrong)
