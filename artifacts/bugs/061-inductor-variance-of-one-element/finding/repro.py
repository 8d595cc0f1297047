"""inductor 2.13.0+cpu: output 0 (float32[]): original differs from its uncompiled run at its only
element; at [] it gives 0.0, uncompiled nan, in float64 nan

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

x0 = torch.tensor(-np.inf, dtype=torch.float32)


def prepare(model, inputs, dynamic=False, freezing=False, level="inductor"):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        fresh = [x if x.requires_grad else copy.deepcopy(x) for x in inputs]  # a model may write into its inputs
        with torch._inductor.config.patch(freezing=freezing):
            return compiled(*fresh)

    return call


torch.set_grad_enabled(False)


class A(torch.nn.Module):
    def forward(self, x0):
        v0, v1 = torch.var_mean(x0, dim=(), correction=0)
        return (v0,)


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return run()[0].detach().numpy()


def gap(x, y):
    """|x - y|; infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


expected = np.array(np.nan, np.float64)  # in float64
allowed = 7.67e-06  # twice the error bounds of what is compared

a = output(prepare(A().eval(), [x0]))

difference = gap(a, expected)
wrong = difference > allowed
print("A (original):", a)
print("float64:     ", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
