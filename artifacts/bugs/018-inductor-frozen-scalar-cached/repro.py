"""TorchInductor of torch 2.15.0 takes a compiled model out of its cache for another one: results are wrong, silently.

With freezing, a buffer of rank 0 is written into the code as a number. The key of the graph cache (on by default, and
lasting beyond the process) leaves its value out, so that a model that differs in that number alone is given the code
of the first. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Met by hand, while 016 was
reduced; campaigns have the cache off.
"""

import os
import sys
import tempfile

os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp()

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch._inductor.config


class Model(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = torch.nn.Buffer(torch.tensor(factor))

    def forward(self, x):
        return x * self.factor


x = torch.arange(5.0)

# The check: compiled, the program must do as eager does.
wrong = False
for factor in (2.0, 3.0):
    torch._dynamo.reset()
    model = Model(factor).eval()
    with torch.no_grad(), torch._inductor.config.patch(freezing=True):
        eager, compiled = model(x), torch.compile(model)(x)
    print("times", factor, "eager", eager.tolist(), "inductor", compiled.tolist())
    wrong |= not torch.equal(eager, compiled)
sys.exit(int(wrong))
