"""GroupNorm without weight and bias is not imported from an exported program, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
from tvm.relax.frontend.torch import from_exported_program

program = torch.export.export(torch.nn.GroupNorm(1, 2, affine=False), (torch.rand(1, 2, 3, 3),))
try:
    from_exported_program(program)
except RuntimeError as error:
    print(str(error).strip().splitlines()[0])
    sys.exit("null" in str(error))
print("it is imported")
