"""A model with a constant of shape (1, 0, 3) cannot be loaded after it was saved, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import pathlib
import sys
import tempfile

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import tvm
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(1, 0, 3))

    def forward(self, x):
        return torch.cat((self.cache, x), 1)


x = torch.ones(1, 2, 3)
module = from_exported_program(torch.export.export(Model(), (x,)))
executable = tvm.compile(module, target=tvm.target.Target("llvm"))
machine = tvm.relax.VirtualMachine(executable, tvm.cpu())
print("it runs:", machine["main"](tvm.runtime.from_dlpack(x))[0].shape)
with tempfile.TemporaryDirectory() as folder:
    path = str(pathlib.Path(folder) / "model.so")
    executable.export_library(path)
    try:
        tvm.runtime.load_module(path)
    except RuntimeError as error:
        print(str(error).strip().splitlines()[-1])
        sys.exit("DLTensor" in str(error))
print("it is loaded")
