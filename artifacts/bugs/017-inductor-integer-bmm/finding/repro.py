"""inductor 2.13.0+cpu: output 0 of min has element type int64, not int32

An output is not of the type or the shape that the program gives it.
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

x0 = torch.tensor([[[0, 0]]], dtype=torch.int32)
x1 = torch.tensor([[[0, 0], [0, 0]]], dtype=torch.int32)


def prepare(model, inputs, dynamic=False, freezing=False, level="inductor"):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        with torch._inductor.config.patch(freezing=freezing):
            return compiled(*inputs)

    return call


torch.set_grad_enabled(False)


class A(torch.nn.Module):
    def forward(self, x0, x1):
        v0 = torch.einsum("bij,bjk->bki", (x0, x1,)).to(torch.int32)
        return (v0,)


output = prepare(A().eval(), [x0, x1])()[0]
made = str(output.dtype).replace("torch.", ""), list(output.shape)
print("min: output 0 is", *made, "and should be int32 [1, 2, 1]")
sys.exit(0 if made == ("int32", [1, 2, 1]) else 1)
