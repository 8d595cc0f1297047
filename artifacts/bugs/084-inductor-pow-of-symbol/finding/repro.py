"""inductor 2.13.0+cpu: original failed in compile: InductorError: LoweringException: RuntimeError:
aten::pow() Expected a value of type 'Tensor' for argument 'exponent' but instead found type
'SymInt'.

A does not compile and run.
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
argument_0 = 2


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
    def __init__(self):
        super().__init__()
        self.w_c1 = torch.from_numpy(ARRAYS["w_8f14d85bd56a15a5_4x4x65_int16"])

    def forward(self, x0, local_number_0):
        v2 = torch.div(x0, self.w_c1, rounding_mode='floor')
        v3 = v2 ** local_number_0
        return (v3, v2,)


try:
    prepare(A().eval(), [x0.narrow(0, 0, 1).expand((4, 4, 65)), argument_0], dynamic=True)()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
