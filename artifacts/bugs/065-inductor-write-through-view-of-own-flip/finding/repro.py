"""inductor 2.13.0+cpu: output 0 (float32[2, 1]): original is off by 1 where the result is exact at 1
of 2 elements ([1, 0]); at [1, 0] it gives 1, and float64 0

A, compiled, gives other results than in float64.
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

x0 = torch.tensor([[0], [1]], dtype=torch.float32)


def prepare(model, inputs, dynamic=False, freezing=False, level="inductor", updates=()):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        # A model may write into its inputs, which may be Python numbers.
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        with torch._inductor.config.patch(freezing=freezing):
            outputs = [*compiled(*fresh)]
        for place, number in updates:  # what an input holds in the end is an output, too
            outputs.insert(place, fresh[number])
        return outputs

    return call


torch.set_grad_enabled(False)


class A(torch.nn.Module):
    def forward(self, x0):
        v0 = torch.roll(x0, (1, 0), (0, 0))
        local_1 = v0.clone()
        x0.unsqueeze(0).copy_(local_1.unsqueeze(0))
        return (x0,)


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return run()[0].detach().numpy()


def gap(x, y):
    """|x - y|; infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


expected = np.array([[1], [0]], np.float64)  # in float64
allowed = np.array([[np.inf], [0]], np.float64)  # the values are exact; infinite where a difference tells nothing

a = output(prepare(A().eval(), [x0], updates=[[1, 0]]))

difference = gap(a, expected)
wrong = difference > allowed
print("A (original):", a.ravel())
print("float64:     ", expected.ravel())
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
