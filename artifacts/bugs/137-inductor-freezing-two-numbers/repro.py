"""With freezing, two convolutions times two numbers are both multiplied by the first, in PyTorch 2.15.0.

The number is put into the weights, by way of a buffer that has the same name for all numbers. All that is convolved is
1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch
import torch._inductor.config


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other = (torch.nn.Buffer(torch.ones(1, 1, 1, 1)) for _ in range(2))

    def forward(self, x):
        first, second = torch.conv2d(x, self.one) * 3.0, torch.conv2d(x, self.other) * 5.0
        return torch.stack([first.sum(), second.sum()])


model = Model().eval()

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad(), torch._inductor.config.patch(freezing=True):
        results[backend] = torch.compile(model, backend=backend)(torch.ones(1, 1, 1, 1))
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
