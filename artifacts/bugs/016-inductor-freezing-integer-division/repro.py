"""inductor: output 1 of min has element type float32, not int64

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys
from pathlib import Path

TIME_LIMIT = 120  # seconds; a run that takes longer counts as a hang
HERE = Path(__file__).resolve().parent
CHILD = "--child"
SHOWS, FINE, NOT_RUN = 10, 0, 2  # how the child ends, if it is not a crash


def supervise():
    """Run this file in a child process, so that a crash or a hang of the compiler can be seen."""
    try:
        status = subprocess.run([sys.executable, __file__, CHILD], timeout=TIME_LIMIT).returncode
    except subprocess.TimeoutExpired:
        print("the compiler did not finish in", TIME_LIMIT, "s")
        return 2
    return {SHOWS: 1, FINE: 0, NOT_RUN: 2}.get(status, 2)


if CHILD not in sys.argv:
    sys.exit(supervise())

try:
    import numpy as np
    import os
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
    import torch
    import torch._inductor.config
    import torch.nn.functional as F

    ARRAYS = np.load(HERE / "inputs.npz")
except (ImportError, OSError) as error:
    print("could not run:", error)
    sys.exit(NOT_RUN)

def prepare(model, inputs, dynamic=False, freezing=False, level="inductor"):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=level, fullgraph=True, dynamic=dynamic)

    def call():
        with torch._inductor.config.patch(freezing=freezing):
            return compiled(*inputs)

    return call

def tensor(name):
    """An array of inputs.npz; bfloat16 is stored as the uint16 of its bits, under a name that says so."""
    if name + "@bfloat16" in ARRAYS:
        return torch.from_numpy(ARRAYS[name + "@bfloat16"].view(np.int16)).view(torch.bfloat16).to("cpu")
    return torch.from_numpy(ARRAYS[name]).to("cpu")


def lay_out(value, layout):
    """The same values in another place of memory."""
    back = tuple(reversed(range(value.ndim)))
    if layout == "transposed":
        return value.permute(back).contiguous().permute(back)
    if layout == "channels_last":
        return value.contiguous(memory_format=torch.channels_last if value.ndim == 4 else torch.channels_last_3d)
    if layout == "sliced":
        larger = value.new_zeros([size + 2 for size in value.shape])
        return larger[tuple(slice(1, -1) for _ in value.shape)].copy_(value)
    if layout.startswith("expanded:"):
        return value.narrow(int(layout.split(":")[1]), 0, 1).expand(value.shape)
    return value


def program(model, arguments=(), layouts=(), mode="no_grad", **options):
    """A function that calls the compiled model on its inputs, then those of its arrays that it takes as arguments."""
    arrays = {name.split("@")[0]: tensor(name.split("@")[0]) for name in ARRAYS if name.startswith("w_")}
    inputs = [tensor("input_%d" % i) for i in range(6)]
    inputs = [lay_out(x, layout) for x, layout in zip(inputs, layouts)] + inputs[len(layouts) :]
    inputs += [arrays[name] for name in arguments]
    if mode == "grad":
        inputs = [x.detach().requires_grad_(x.is_floating_point()) for x in inputs]
    call = prepare(model(arrays).to("cpu").train(mode == "train"), inputs, **options)

    def run():
        with torch.inference_mode(mode == "inference"), torch.set_grad_enabled(mode == "grad"):
            return call()

    return run


def values(output):
    return output.detach().cpu().to(torch.float64 if output.is_floating_point() else output.dtype).numpy()


def element_type(output):
    return str(output.dtype).removeprefix("torch.")

class A(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c6 = arrays["w_932c79fd1ba63edb_8x2x8_int32"]
        self.register_buffer("w_c7", arrays["w_25814c3db9094871_8x2x8_int64"])
        self.w_c12 = arrays["w_aae89fc0f03e2959_scalar_int64"]

    def forward(self, x0, x1, x9, x11, x27, x31):
        v8 = torch.scatter(x1, 1, torch.remainder(self.w_c6, 8).to(torch.int64), self.w_c7)
        v6, v10 = torch.median(v8, dim=1, keepdim=True)
        v11 = torch.sum(v8, dim=(0, 1, 2), keepdim=False, dtype=torch.int64)
        v15 = torch.divide(v11, self.w_c12, rounding_mode='trunc')
        v22 = torch.mul(v10, x9)
        v16 = v22.to(dtype=torch.bfloat16)
        v12 = torch.cosh(x11)
        v17 = v12.cosh()
        v26 = F.linear(x0, x0.t())
        v21 = v26 * 2
        c22 = torch.full((), 0, dtype=torch.int64, device=x0.device)
        v31 = c22 - v22
        v23 = torch.abs(v31)
        v24 = torch.min(v31, dim=0, keepdim=True).indices
        v25 = v31.amax(dim=(0, 1, 2), keepdim=False).reshape((1, 1, 1))
        v36 = x11.sin()
        v30 = torch.pow(x11, v36)
        v38 = torch.mul(x27, v22)
        v32 = torch.mul(v38, x31)
        return (v6, v15, v16, v17, v21, v22, v23, v24, v25, v30, v32, v12,)


output = program(A, freezing=True)()[1]
made = element_type(output), list(output.shape)
print("min: output 1 is", *made, "and should be int64 []")
sys.exit(FINE if made == ("int64", []) else SHOWS)
