"""inductor 2.13.0+cpu: original failed in compile: RuntimeError: unsupported operation: some elements of
the input tensor and the written-to tensor refer to a single memory location. Please clone() the
tensor before performing the operation.

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

x0 = torch.tensor([[[0]]], dtype=torch.float32)


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
        v0, v1 = F.adaptive_max_pool1d(x0, (1,), return_indices=True)
        c0 = torch.full((1,), 0, dtype=torch.int64, device=x0.device)
        v2 = torch.index_add(v1, 0, c0, v1, alpha=1)
        return (v2,)


try:
    prepare(A().eval(), [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
