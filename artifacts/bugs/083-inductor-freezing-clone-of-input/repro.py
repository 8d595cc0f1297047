"""torch.compile with freezing returns an input in the place of its clone, in PyTorch 2.15.0 on the CPU.

The model also has a convolution, which need not have to do with the input. Who writes into the clone writes into the
input; and where the model overwrites the input afterwards, the clone has the new values. Uncompiled, without freezing,
and with ``layout_optimization = False`` the clone has memory of its own. Exits 1 where the bug shows, 0 where it does
not, 2 where this could not run. Reduced by hand from a finding.
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
        self.conv = torch.nn.Conv1d(5, 1, 2)


class Clone(Model):
    def forward(self, image, x):
        return x.clone(), self.conv(image)


class CloneThenUpdate(Model):
    def forward(self, image, x):
        before = x.clone()
        x.add_(1)
        return before, self.conv(image)


# The check: compiled, the program must do as eager does.
shown = False
for kind in (Clone, CloneThenUpdate):
    model = kind().eval()
    for backend, freezing in (("eager", False), ("inductor", False), ("inductor", True)):
        torch._dynamo.reset()
        x = torch.zeros(2)
        with torch.no_grad(), torch._inductor.config.patch(freezing=freezing):
            clone, _ = torch.compile(model, backend=backend)(torch.ones(3, 5, 2), x)
        shared = clone.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        print(f"{kind.__name__}, {backend}, freezing={freezing}: {clone.tolist()}, memory of the input: {shared}")
        shown |= shared or not torch.equal(clone, torch.zeros(2))
sys.exit(shown)
