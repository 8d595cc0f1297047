"""inductor 2.13.0+cpu: output 0 (float32[1]): A is off by 1 where the result is exact at 1 of 1
elements ([0]); at [0] it gives 1, and float64 0

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

x0 = torch.tensor([0], dtype=torch.float32)


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
        c0 = torch.full((1,), 0, dtype=torch.int64, device=x0.device)
        v0 = torch.index_copy(x0, 0, c0, x0)
        v0 = v0.clone()
        x0.fill_(1.0)
        return (v0,)


def uncompiled(model, inputs, updates=()):
    """What `prepare` does, without the compiler."""

    def call():
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        outputs = [*model(*fresh)]
        for place, number in updates:
            outputs.insert(place, fresh[number])
        return outputs

    return call


def side_by_side(show):
    """Print what `show` makes of the outputs by each backend of torch.compile, from eager to Inductor."""
    print("side by side:")
    for name in ('eager', 'aot_eager', 'aot_eager_decomp_partition', 'inductor'):
        level, _, setting = name.partition(" with ")
        try:
            with torch._inductor.config.patch({setting: True} if setting else {}):
                if level == "eager":
                    run = uncompiled(A().eval(), [x0], updates=[[1, 0]])
                else:
                    run = prepare(A().eval(), [x0], updates=[[1, 0]], level=level)
                run()
                text = show(run())
        except Exception as error:
            text = f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')[:100]}"
        print(f"  {name + ':':28}", text, flush=True)


eager = uncompiled(A().eval(), [x0], updates=[[1, 0]])()[0]


def told(outputs):
    """The elements that are wrong, and whether PyTorch's accuracy check takes them, given eager and float64."""
    reference = torch.as_tensor(np.ascontiguousarray(expected))
    accepted = torch._dynamo.utils.same(eager, outputs[0], fp64_ref=reference, equal_nan=True)
    return f"{outputs[0].detach().numpy()}, torch._dynamo.utils.same: {accepted}"


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return run()[0].detach().numpy()


expected = np.array([0], np.float64)  # in float64
allowed = 0  # the values are exact

a = output(prepare(A().eval(), [x0], updates=[[1, 0]]))

difference = np.abs(a.astype(np.float64) - expected.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A:      ", a)
print("float64:", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
side_by_side(told)
sys.exit(1 if wrong.any() else 0)
