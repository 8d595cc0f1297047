"""inductor 2.13.0+cpu: max failed in compile: BackendCompilerFailed: backend='inductor' raised:
RuntimeError: reorder_linear_weight: weight's dtype should be float

A does not compile and run.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys
from pathlib import Path


def could_not_run(kind, error, trace):
    """Any error but the one that this is about."""
    sys.__excepthook__(kind, error, trace)
    print("could not run:", error)
    sys.exit(2)


sys.excepthook = could_not_run

import numpy as np
import os
os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch
import torch._inductor.config
import torch.nn.functional as F

ARRAYS = np.load(Path(__file__).with_name("inputs.npz"))

x0 = torch.tensor([0], dtype=torch.int64)


def prepare(model, inputs, dynamic=False, freezing=False, level="inductor"):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        with torch._inductor.config.patch(freezing=freezing):
            return compiled(*inputs)

    return call


torch.set_grad_enabled(False)


class A(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w_c0", torch.from_numpy(ARRAYS["w_e3b0c44298fc1c14_1x0_int64"]))

    def forward(self, x0):
        v0 = x0.matmul(self.w_c0)
        return (v0,)


try:
    prepare(A().eval(), [x0], freezing=True)()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
