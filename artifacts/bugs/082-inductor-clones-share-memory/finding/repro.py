"""inductor 2.13.0+cpu: original: output 2 shares memory with output 1; uncompiled it does not

Compiled, A shares memory, or writes into inputs, otherwise than uncompiled.
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

x0 = torch.tensor([0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0], dtype=torch.int8)
x1 = torch.tensor([0, 0, 0, 0, -5, 35, 0, 0, 0, 0, 0], dtype=torch.int8)


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
    def forward(self, x0, x1):
        v2 = torch.as_strided(x0.contiguous(), (6, 4), (1, 0))
        local_1 = x1.flip(0).flip(0)
        x1.fmod_(4294967297)
        c4 = x0.new_full((1, 1), 4, dtype=torch.int64)
        c5 = x0.new_full((1,), 0, dtype=torch.int8)
        v6 = local_1.reshape(11, 1).scatter_reduce(0, (torch.remainder(c4[..., 0], 11) * 1).reshape(-1, 1).expand(-1, 1), c5.reshape(-1, 1), reduce='amax').reshape((11,))
        v7 = torch.select(x1, 0, -10)
        local_2 = x1.clone()
        v7 = torch.empty_like(v7).copy_(v7)
        x1.scatter_(0, torch.arange(11, device=x1.device).view((11,)).expand((11,)), v6)
        return (v2, v7, local_2,)


def uncompiled(model, inputs, updates):
    """What `prepare` does, without the compiler."""

    def call():
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        outputs = [*model(*fresh)]
        for place, number in updates:
            outputs.insert(place, fresh[number])
        return outputs

    return call


def places(x):
    """The addresses of all bytes of a tensor's elements."""
    found, width = np.array([x.data_ptr()]), x.element_size()
    for count, step in [*((n, s * width) for n, s in zip(x.shape, x.stride())), (width, 1)]:
        found = (found[:, None] + np.arange(count) * step).ravel()
    return {*found.tolist()}


def shares(outputs):
    """Whether output 2 shares memory with output 1; the arguments follow the outputs."""
    return any(not places(outputs[2]).isdisjoint(places(x)) for x in [outputs[1]])


model = A().eval()
compiled = shares(prepare(model, [x0, x1], updates=[[3, 0], [4, 1]])())
plain = shares(uncompiled(model, [x0, x1], updates=[[3, 0], [4, 1]])())
print("output 2 shares memory with output 1: compiled %s, uncompiled %s" % (compiled, plain))
sys.exit(1 if compiled != plain else 0)
