"""inductor 2.13.0+cpu: output 0 (int64[3]): A is off by 4.29e+09 where the result is exact at 1 of 3
elements ([2]); at [2] it gives -2, and float64 4294967294

Compiled, A gives other results than in float64.
Exits 1 where the bug shows, 0 where it does not, 2 where this script could not run.
"""

import sys


def could_not_run(kind, error, trace):
    """Exit with 2 after any error but the bug: this script could not run."""
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


def prepare(model, inputs, dynamic=False, freezing=False, level="inductor", updates=()):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        # A model may write into its inputs, which may be Python numbers.
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        with torch._inductor.config.patch(freezing=freezing):
            outputs = [*compiled(*fresh)]
        for place, number in updates:  # the last value of an input that it writes is an output
            outputs.insert(place, fresh[number])
        return outputs

    return call


torch.set_grad_enabled(False)


class A(torch.nn.Module):
    def forward(self):
        c0 = torch.arange(0, 6442450941, 2147483647, dtype=torch.int64)
        return (c0,)


def uncompiled(model, inputs, updates=()):
    """Return a function that runs a model without the compiler, as `prepare` does with it."""

    def call():
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        outputs = [*model(*fresh)]
        for place, number in updates:
            outputs.insert(place, fresh[number])
        return outputs

    return call


def side_by_side(show):
    """Print `show(outputs)` for each backend of torch.compile, from eager to Inductor."""
    print("side by side:")
    for name in ('eager', 'aot_eager', 'aot_eager_decomp_partition', 'inductor'):
        level, _, setting = name.partition(" with ")
        if setting and not hasattr(torch._inductor.config, setting):  # an older release
            continue
        try:
            with torch._inductor.config.patch({setting: True} if setting else {}):
                if level == "eager":
                    run = uncompiled(A().eval(), [])
                else:
                    run = prepare(A().eval(), [], level=level)
                run()
                text = show(run())
        except Exception as error:
            text = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
        print(f"  {name + ':':28}", text, flush=True)


eager = uncompiled(A().eval(), [])()[0]


def told(outputs):
    """Return the wrong elements as text, and whether PyTorch's own accuracy check accepts them."""
    reference = torch.as_tensor(np.ascontiguousarray(expected)).to(eager.device)
    accepted = torch._dynamo.utils.same(eager, outputs[0], fp64_ref=reference, equal_nan=True)
    return f"{outputs[0].detach().numpy()}, torch._dynamo.utils.same: {accepted}"


def output(run):
    """Return the result of the second run: in some compilers, the first run overwrites memory that the second reads."""
    run()
    return run()[0].detach().numpy()


def gap(x, y):
    """Return |x - y|: infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


expected = np.array([0, 2147483647, 4294967294], np.int64)  # in float64
allowed = np.array([np.inf, np.inf, 0], np.float64)  # the values are exact; infinite where elements are not compared

a = output(prepare(A().eval(), []))

difference = gap(a, expected)
wrong = difference > allowed
print("A:      ", a)
print("float64:", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
side_by_side(told)
sys.exit(1 if wrong.any() else 0)
