"""x[x > 2] is not imported from an exported program, in TVM 0.27.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def forward(self, x):
        return x[x > 2]


program = torch.export.export(Model(), (torch.arange(6.0),))
try:
    from_exported_program(program)
except TypeError as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit("bool" in str(error))
print("it is imported")
