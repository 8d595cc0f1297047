"""With freezing, a row that is added to a convolution is added by channels, in PyTorch 2.15.0.

The row of shape [1, 2] belongs to the last axis. Here the result has two channels, too, and 0 and 10 are added to
these.

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
        self.weight = torch.nn.Buffer(torch.ones(2, 1, 1, 1))
        self.row = torch.nn.Buffer(torch.tensor([[0.0, 10.0]]))

    def forward(self, x):
        return torch.conv2d(x, self.weight) + self.row


model = Model().eval()

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad(), torch._inductor.config.patch(freezing=True):
        results[backend] = torch.compile(model, backend=backend)(torch.ones(1, 1, 1, 2))
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}")
eager, compiled = results.values()
sys.exit(eager.shape != compiled.shape or not torch.equal(eager, compiled))
