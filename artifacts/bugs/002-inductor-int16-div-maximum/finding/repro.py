"""inductor 2.13.0+cpu: min failed in compile: InductorError: CppCompileError: C++ compile error: no
matching function for call to ‘max_propagate_nan(int&, short int&)’

A does not compile and run.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys


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

x0 = torch.tensor(1, dtype=torch.int16)


def prepare(model, inputs, dynamic=False, freezing=False, level="inductor"):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        with torch._inductor.config.patch(freezing=freezing):
            return compiled(*inputs)

    return call


torch.set_grad_enabled(False)


class A(torch.nn.Module):
    def forward(self, x0):
        v0 = torch.divide(x0, x0, rounding_mode='trunc')
        v1 = torch.maximum(v0, x0)
        return (v1,)


try:
    prepare(A().eval(), [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
