"""inductor: max failed in compile: BackendCompilerFailed: backend='inductor' raised: RuntimeError: reorder_linear_weight: weight's dtype should be float (its equivalent min did not)

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys
from pathlib import Path

TIME_LIMIT = 240  # seconds; a run that takes longer counts as a hang
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
    return {SHOWS: 1, FINE: 0, NOT_RUN: 2}.get(status, 1)


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

class A(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c39 = arrays["w_65f3cbac5d7d0aaa_1x1x33_int32"]
        self.register_buffer("w_c46", arrays["w_d9f4f31bf96f7eb6_16x33_int32"])
        self.w_c50 = arrays["w_0335286338cda977_1x1x4_int32"]
        self.w_v16 = arrays["w_115bad14f1c9f2c0_1x1x33_int32"]

    def forward(self, x0, x21, x26):
        v4 = torch.full((1, 1, 33), 1, dtype=torch.int32, device=x0.device)
        v6 = v4.permute((1, 2, 0))
        v7 = torch.le(x0, x0)
        v8 = torch.where(v7, x0, x0)
        v9 = v8.permute((1, 2, 0))
        v10 = v6.add(v9)
        v14 = v10.permute((2, 0, 1))
        c11 = torch.full((), 0, dtype=torch.int32, device=x0.device)
        v18 = torch.bitwise_xor(v14, c11)
        v19 = torch.eq(v18, c11)
        v5 = ~v19
        v21 = v14.permute((1, 2, 0))
        v24 = v14.cumsum(2, dtype=torch.int32)
        v25 = v24[:, :, 32:33]
        v26 = torch.broadcast_to(v25, (1, 1, 33))
        v27 = torch.permute(v26, (1, 2, 0))
        v29 = v21.add(v27)
        v11 = v29.permute((2, 0, 1))
        v32 = v14.cumsum(0, dtype=torch.int32)
        v33 = torch.narrow(v32, 0, 0, 1)
        v12 = torch.sum(v33, dim=(0, 1, 2), keepdim=True, dtype=torch.int32)
        v35 = -v14
        v36 = torch.amin(v35, dim=(2,), keepdim=True)
        v37 = v36.neg()
        v13 = v37.squeeze((0, 1, 2))
        v39 = v37.amax(dim=(0, 1), keepdim=True).squeeze((0, 1))
        v15 = torch.reshape(v39, (1, 1, 1))
        v41 = self.w_v16.permute((0, 2, 1))
        v42 = torch.cumsum(v33, dim=1, dtype=torch.int32)
        v43 = torch.narrow(v42, 1, 0, 1)
        v44 = torch.swapaxes(v43, 1, 2)
        v45 = v41.sub(v44)
        v46 = torch.permute(v45, (0, 2, 1))
        v17 = torch.clamp(v46, min=0)
        v48 = torch.permute(self.w_c39, (1, 2, 0))
        v49 = torch.add(v48, v21)
        v50 = torch.permute(v49, (2, 0, 1))
        v22 = torch.stack((v50, x21,), dim=2)
        v23, v23_1 = v46.cummax(0)
        v54 = torch.full((16,), 1, dtype=torch.int32, device=x0.device)
        v55 = F.linear(x0, self.w_c46, v54)
        v56 = torch.cat((v55, self.w_c50, x26,), dim=2)
        v57 = v56[0:1, :, 21:22:2]
        v58 = torch.clamp(v57, min=-1, max=1)
        v59 = v57.abs()
        v60 = torch.mul(v59, v58)
        v61 = torch.mul(v58, v60)
        v28 = v58 * v61
        v63 = torch.sum(v56, dim=(1,), keepdim=True, dtype=torch.int32).squeeze((1,))
        v64 = v63 + v63
        v65 = v64.permute((1, 0))
        v66 = v63.permute((1, 0))
        v67 = v65.sub(v66)
        v68 = torch.permute(v67, (1, 0))
        v31 = torch.neg(v68)
        return (v5, v11, v12, v13, v15, v17, v22, v23, v23_1, v28, v31,)


try:
    program(A, freezing=True)()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(SHOWS)
print("the compiler did not fail")
sys.exit(FINE)
