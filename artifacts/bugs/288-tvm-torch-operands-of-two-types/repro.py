"""torch.where, torch.cat and others of two types are not imported from an exported program, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
from tvm.relax.frontend.torch import from_exported_program


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


x, y = torch.tensor([[1.0, 2]]).half(), torch.tensor([[0.5, 3]])
failures = 0
for name, function in {
    "where": lambda x, y: torch.where(x > 1, x, y),
    "cat": lambda x, y: torch.cat((x, y)),
    "fmod": torch.fmod,
    "floor_divide": torch.floor_divide,
    "clamp": torch.clamp,
    "cosine_similarity of float16": lambda x, _: torch.nn.functional.cosine_similarity(x, x),
}.items():
    program = torch.export.export(Model(function), (x, y))
    try:
        from_exported_program(program)
    except TypeError as error:
        failures += 1
        print(f"{name}: {str(error).strip().splitlines()[-1][:90]}")
    else:
        print(f"{name}: it is imported")
sys.exit(failures > 0)
