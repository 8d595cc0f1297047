"""inductor: output 6 of min has element type int64, not int32

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
    inputs = [tensor("input_%d" % i) for i in range(3)]
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
        self.w_c11 = arrays["w_df3f619804a92fdb_scalar_int32"]
        self.w_c17 = arrays["w_179471f0fc2c3cd5_3x4x16x1x3_int32"]
        self.w_c27 = arrays["w_8aeaf30183141cc9_1x16_int32"]

    def forward(self, x0, x13, x20):
        v4, v7 = torch.topk(x0, 2, dim=1, largest=False, sorted=True)
        v3 = torch.min(v7, dim=0, keepdim=False).indices
        v6 = v4[:, 0:1:3]
        v5 = v6.reshape((1, 8, 1))
        v8 = v5.repeat([3, 2, 3])
        v11 = torch.tensor([3], dtype=torch.int64, device=v8.device)
        v18 = torch.reshape(v8, (3, 1, 16, 1, 3))
        v12 = torch.stack(torch.broadcast_tensors(v18, self.w_c11)).amax(0)
        v14 = v18 @ x13
        v25 = torch.full((3, 1, 16, 1, 3), 3, dtype=torch.int32, device=x0.device)
        v27 = torch.concat([v18, v25, self.w_c17], 1)
        v28 = v27.matmul(x20)
        c20 = torch.full((), 0, dtype=torch.int32, device=x0.device)
        v22 = torch.stack(torch.broadcast_tensors(v28, c20)).amax(0)
        v31 = torch.repeat_interleave(x13, 2, dim=4)
        v23 = torch.repeat_interleave(v31, 3, dim=0)
        v33 = v27.permute((2, 1, 3, 4, 0))
        v24 = v33.to(torch.bfloat16)
        v26 = v28 @ self.w_c27
        return (v3, v6, v8, v8, v11, v12, v14, v22, v23, v24, v26, v5,)


output = program(A, dynamic=True, layouts=['contiguous', 'channels_last', 'transposed'])()[6]
made = element_type(output), list(output.shape)
print("min: output 6 is", *made, "and should be int32 [3, 1, 16, 1, 8]")
sys.exit(FINE if made == ("int32", [3, 1, 16, 1, 8]) else SHOWS)
