"""With freezing, a sum is written over a tensor whose transposed view is still needed, in PyTorch 2.15.0.

t is 0, 1, 2, 3, and v its transposed view. Convolutions by 1 change nothing: the result is (v + t) * v. Compiled v has
the values of v + t then.

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
        t = torch.conv2d(x, self.one).relu()
        v = t.transpose(2, 3)
        return (torch.conv2d(v, self.other) + t) * v


model = Model().eval()

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad(), torch._inductor.config.patch(freezing=True):
        results[backend] = torch.compile(model, backend=backend)(torch.arange(4.0).view(1, 1, 2, 2))
for backend, result in results.items():
    print(f"{backend}: {result.flatten().tolist()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
