"""inductor 2.13.0+cpu: original: uncompiled, output 1 shares memory with input 0; compiled it does not

Compiled, A shares memory, or writes into inputs, otherwise than uncompiled.
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
import copy
import os
os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ["TORCHINDUCTOR_FX_GRAPH_CACHE"] = os.environ["TORCHINDUCTOR_AUTOGRAD_CACHE"] = "0"
import torch
import torch._inductor.config
import torch.nn.functional as F

ARRAYS = np.load(Path(__file__).with_name("inputs.npz"))

x0 = torch.from_numpy(ARRAYS["input_0"])


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
        v1 = F.dropout(x0, 0.3, False)
        v3 = 0.0 + v1
        return (v3, v1,)


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
    """Whether output 1 shares memory with input 0; the arguments follow the outputs."""
    return any(not places(outputs[1]).isdisjoint(places(x)) for x in [outputs[2]])


model = A().train()
compiled = shares(prepare(model, [x0], updates=[[2, 0]])())
plain = shares(uncompiled(model, [x0], updates=[[2, 0]])())
print("output 1 shares memory with input 0: compiled %s, uncompiled %s" % (compiled, plain))
sys.exit(1 if compiled != plain else 0)
