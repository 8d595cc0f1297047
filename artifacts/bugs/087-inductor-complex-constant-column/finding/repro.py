"""inductor 2.13.0+cpu: original failed in compile: RuntimeError: self.stride(-1) must be 1 to view
ComplexFloat as Float (different element sizes), but got 5

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
import copy
import os
os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ["TORCHINDUCTOR_FX_GRAPH_CACHE"] = os.environ["TORCHINDUCTOR_AUTOGRAD_CACHE"] = "0"
import torch
import torch._inductor.config
import torch.nn.functional as F

x0 = torch.tensor([
    [[-2.919171, -1.274137], [-16, -0.4728565], [-2, -16], [-1, -0.88951707], [-1, -1], [-16, -2]],
    [[-1, -1], [-1, -2], [-16, -16], [-16, -1], [-2, -1], [-1, -16]],
    [[-1.9184736, -2], [-16, -16], [-1, -1], [-0.22922325, -2], [-1.9904593, -0.46902275], [-1, -1]],
    [[-1.2926431, -1], [-16, -16], [-2, -2], [-1, -0.27320102], [-0.7324899, -2.8721988], [-1, -2]],
    [[-16, -2], [-0.60953426, -0.0495863], [-2, -1], [-2, -1], [-1, -16], [-1.620049, -1]],
], dtype=torch.float32)
x2 = torch.tensor([
    [False, False, True, True, True, True],
    [False, False, False, False, False, False],
    [False, False, True, False, True, False],
    [True, False, False, True, False, False],
    [False, True, False, True, False, True],
], dtype=torch.bool)


def prepare(model, inputs, dynamic=False, freezing=False, level="inductor", updates=()):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        fresh = [x if x.requires_grad else copy.deepcopy(x) for x in inputs]  # a model may write into its inputs
        with torch._inductor.config.patch(freezing=freezing):
            outputs = [*compiled(*fresh)]
        for place, number in updates:  # what an input holds in the end is an output, too
            outputs.insert(place, fresh[number])
        return outputs

    return call


torch.set_grad_enabled(False)


class A(torch.nn.Module):
    def forward(self, x0, x2):
        v1 = torch.complex(x0[..., 0], x0[..., 1])
        v3 = torch.where(x2, v1, v1)
        c4 = torch.tensor([[(-0.8620954751968384+2j)], [(-0.3469000458717346+2j)], [(0.46728646755218506+2j)], [(-0.5237359404563904+2j)], [(-0.2073187530040741+2j)]], dtype=torch.complex64, device=x0.device)
        v5 = v3.clone().add_(c4)
        v6 = F.pad(v3, (0, 1, 1, 2))
        v7 = v6 * (2+1j)
        return (v5, v7, v6,)


try:
    prepare(A().eval(), [x0.permute(2, 1, 0).contiguous().permute(2, 1, 0), x2.new_zeros((7, 8))[1:-1, 1:-1].copy_(x2)])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
