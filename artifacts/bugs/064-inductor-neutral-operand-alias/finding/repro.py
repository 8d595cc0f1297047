"""inductor 2.13.0+cpu: original: output 1 shares memory with w_c3, which the model holds; uncompiled
it does not

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
    def __init__(self):
        super().__init__()
        self.w_c3 = torch.nn.Parameter(torch.from_numpy(ARRAYS["w_b7966a70b08146aa_6x5x3x3_float16"]), requires_grad=False)

    def forward(self):
        c0 = torch.zeros((6, 5, 3, 3), dtype=torch.float16)
        v0 = torch.erf(c0)
        v1 = v0 < 1.0
        c2 = torch.full((), 3.0, dtype=torch.float16)
        v2 = torch.where(v1, v0, c2)
        v3 = v0 + self.w_c3
        return (v2, v3,)


def uncompiled(model, inputs, updates):
    """What `prepare` does, without the compiler."""

    def call():
        fresh = [x if x.requires_grad else copy.deepcopy(x) for x in inputs]
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
    """Whether output 1 shares memory with w_c3, which the model holds; the arguments follow the outputs."""
    return any(not places(outputs[1]).isdisjoint(places(x)) for x in [*model.parameters(), *model.buffers()])


model = A().eval()
compiled = shares(prepare(model, [], updates=[])())
plain = shares(uncompiled(model, [], updates=[])())
print("output 1 shares memory with w_c3, which the model holds: compiled %s, uncompiled %s" % (compiled, plain))
sys.exit(1 if compiled != plain else 0)
