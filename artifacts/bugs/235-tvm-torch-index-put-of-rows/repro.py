"""x[i] = row of a matrix is not imported from Torch, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x, i, row):
        return x.index_put((i,), row)


program = torch.export.export(Model(), (torch.zeros(2, 2), torch.tensor([1]), torch.ones(1, 2)))
try:
    from_exported_program(program)
except ValueError as error:
    print(error)
    sys.exit(1)
print("it is imported")
