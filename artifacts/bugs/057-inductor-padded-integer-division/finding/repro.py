"""inductor 2.13.0+cpu: max failed in compile: RuntimeError: inductor_cpu_throw_if_integer_div_error,
torch/include/torch/csrc/inductor/cpp_prefix.h:827, ZeroDivisionError

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

x0 = torch.tensor(4, dtype=torch.int64)
argument_0 = torch.tensor([[[[[6, 7, 1, 5, 6, 5, 5, 4, 3, 2, 7, 2, 5, 4, 1]]]]], dtype=torch.int64)


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
    def __init__(self):
        super().__init__()
        self.w_c1 = torch.nn.Parameter(torch.tensor([[-1]], dtype=torch.float32), requires_grad=False)

    def forward(self, x0, c0):
        v0 = x0.remainder(c0)
        v1 = self.w_c1[0:1, :]
        v2 = torch.swapaxes(v1, 0, 1)
        v3 = v2.reshape((1, 1, 1))
        local_1 = v3.new_empty((2, 1, 1))
        local_1[0:1] = v3
        local_1[1:2] = v3
        v4 = local_1
        v5 = torch.reshape(v4, (1, 2))
        v6 = v0 * v0
        v7 = v6[:, :, :, :, 0:1]
        v8 = v6.narrow(4, 2, 13)
        local_2 = torch.empty((1, 1, 1, 1, 14), dtype=torch.int64, device=v7.device)
        local_2[:, :, :, :, 0:1] = v7
        local_2[:, :, :, :, 1:14].copy_(v8)
        v9 = local_2
        return (v9, v5,)


try:
    prepare(A().train(), [x0, argument_0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
