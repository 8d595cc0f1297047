"""A linear layer of integers does not compile in TorchInductor of torch 2.15.0 on the CPU when weights are frozen.

Freezing packs the weight for MKL, whatever its type: "reorder_linear_weight: weight's dtype should be float". Exits 1
where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch._inductor.config


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Buffer(torch.ones(16, 33, dtype=torch.int32))

    def forward(self, x):
        return torch.nn.functional.linear(x, self.weight)


model, x = Model().eval(), torch.ones(2, 33, dtype=torch.int32)

# The check: compiled, the program must do as eager does.
with torch.no_grad(), torch._inductor.config.patch(freezing=True):
    print("eager", model(x)[0, :4])
    try:
        print("inductor", torch.compile(model)(x)[0, :4])
    except Exception as error:
        print("inductor", type(error).__name__, *[line for line in str(error).splitlines() if "Error:" in line])
        sys.exit(1)
