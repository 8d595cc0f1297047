"""Integers divided by a frozen scalar come out as float32, rounded, in TorchInductor of torch 2.13.0 on the CPU.

With freezing, x / c rounded towards zero loses its element type where c is a buffer of rank 0; rounded down it does
not. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch._inductor.config


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.divisor = torch.nn.Buffer(torch.tensor(7))

    def forward(self, x):
        return torch.div(x, self.divisor, rounding_mode="trunc")


model, x = Model().eval(), torch.tensor([-350, 2**40 + 5])

# The check: compiled, the program must do as eager does.
with torch.no_grad(), torch._inductor.config.patch(freezing=True):
    eager, compiled = model(x), torch.compile(model)(x)
print("eager", eager)
print("inductor", compiled)
sys.exit(int(compiled.dtype != eager.dtype or not torch.equal(compiled, eager)))
