"""With freezing, PyTorch 2.15.0 folds a normalization into the wrong channels of a transposed convolution.

Its weight has the channels of the input first. Here the convolution exchanges two channels of ones, and the
normalization multiplies them by 2 and 3.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch
import torch._inductor.config


convolution = torch.nn.ConvTranspose2d(2, 2, 1, bias=False)
normalization = torch.nn.BatchNorm2d(2, eps=0.0)
model = torch.nn.Sequential(convolution, normalization).eval().requires_grad_(False)
convolution.weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 0.0]]).view(2, 2, 1, 1))
normalization.weight.copy_(torch.tensor([2.0, 3.0]))

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad(), torch._inductor.config.patch(freezing=True):
        results[backend] = torch.compile(model, backend=backend)(torch.ones(1, 2, 1, 1))
for backend, result in results.items():
    print(f"{backend}: {result.flatten().tolist()}")
sys.exit(not torch.allclose(results["eager"], results["inductor"], rtol=1e-2))
