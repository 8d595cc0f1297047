"""inductor: max failed in compile: InductorError: CppCompileError: C++ compile error (its equivalent min did not)

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
    inputs = [tensor("input_%d" % i) for i in range(5)]
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
        self.w_c36 = arrays["w_cc15182122ae445d_4x1_int64"]
        self.w_c43 = arrays["w_6e340b9cffb37a98_scalar_bool"]
        self.w_c103 = torch.nn.Parameter(arrays["w_3520dbf97ceb1a4e_4_float32"], requires_grad=False)
        self.register_buffer("w_c104", arrays["w_c981318557d82d47_4_int8"])

    def forward(self, x1, x6, x20, x22, x35, v73):
        v5, = (x1,)
        v6 = torch.any(v5, dim=0, keepdim=True)
        v8 = F.pad(v6, (0, 0, 1, 2), value=False)
        v3 = v8[1:2, :]
        v10 = x1.repeat([2, 1])
        v11, v12 = v10.split([4, 4], dim=0)
        v14 = torch.max(x6, x6)
        v15 = torch.minimum(x6, v14)
        v7 = torch.add(v12, v15.expand((4, 4)))
        v19 = torch.full((4,), 0.0, dtype=torch.float32, device=x1.device)
        v20 = torch.addmm(v19, x1, v5.t())
        v22, v23 = torch.var_mean(v20, dim=(1,), correction=1, keepdim=True)
        v24 = torch.maximum(v23, v23)
        v25 = torch.minimum(v23, v24)
        v26 = F.threshold(v25, 2.0, 0.0)
        v28 = -v25
        v30 = F.threshold(v28, 2.0, 0.0)
        v18 = v26.sub_(v30)
        v35 = v15.eq(v25)
        v13 = v35.logical_not()
        c30 = torch.full((), True, dtype=torch.bool, device=x1.device)
        v38 = v13.logical_and(c30)
        v39 = torch.logical_not(v38)
        v40 = v39.type(torch.int64)
        v43 = x20 * v40
        c37 = torch.full((), 1, dtype=torch.int64, device=x1.device)
        v47 = torch.sub(c37, v40)
        v48 = self.w_c36 * v47
        v21 = torch.add(v43, v48)
        v50 = v38.logical_or(v13)
        v27 = v50.logical_and(self.w_c43.expand((4, 1)))
        v54 = v39.to(dtype=torch.float64)
        c46 = torch.full((), 0.0, dtype=torch.float64, device=x1.device)
        v55 = c46 * v54
        v56 = x22[0:2, :]
        v57 = x22[2:4, :]
        v58 = torch.cat((v56, v57,), dim=0)
        c53 = torch.full((), 1.0, dtype=torch.float64, device=x1.device)
        v60 = torch.sub(c53, v54)
        v61 = v58.mul(v60)
        v62 = torch.add(v55, v61)
        v29 = v62.to(dtype=torch.bfloat16)
        v64, = (v12,)
        v65 = torch.addmm(v19, v12, v64.t())
        v66 = v15.add(v65)
        v31 = F.rms_norm(v65, (4, 4), v66, 0.5)
        v68 = v31[2:3, :]
        v34 = v68[:, 0:3:2]
        v70 = v22.type(torch.float16)
        v71 = v70.to(torch.uint8)
        v72 = v71.permute((1, 0))
        v74 = v73.moveaxis((1, 0), (0, 1))
        v75 = v72.mul(v74)
        v41 = v75.moveaxis((1, 0), (0, 1))
        v78 = torch.full((1, 1), 2.0, dtype=torch.float64, device=x1.device)
        v79 = torch.clamp_min(v78, 2.0)
        v80 = v62.sum(dtype=torch.float64).reshape((1, 1))
        v81 = torch.movedim(v80, (1, 0), (0, 1))
        v83 = x35.div(1.0)
        v84 = v83.moveaxis((1, 0), (0, 1))
        v85 = v81 * v84
        v86 = v85.transpose(0, 1)
        v87 = v79 + v86
        v42 = v87.add(v86)
        v89 = torch.logical_not(v50)
        v90 = torch.tile(v22, [2, 1])
        v91 = v90[4:8, :]
        v92 = torch.max(v91)
        v93 = torch.reshape(v92, (1, 1))
        v94 = torch.tile(v93, [4, 1])
        v96 = torch.full((1, 1), 0.0, dtype=torch.float32, device=x1.device)
        v97 = v96.repeat([4, 1])
        v98 = v94 - v97
        v100 = v98.mul_(1.0)
        v99 = torch.full((4, 1), 1.0, dtype=torch.float32, device=x1.device)
        v101 = v15.expand((4, 1)) * v99
        v102 = v100.where(v89, v101)
        v45 = torch.clamp((v102 / self.w_c103.to(torch.float32).reshape((4, 1))).round() + self.w_c104.to(torch.float32).reshape((4, 1)), -128, 127).to(torch.int8)
        v106 = self.w_c43 & v50
        v107 = v106.logical_not()
        v108 = v91.where(v107, v91)
        v109 = v108.type(torch.float16)
        v110 = torch.movedim(v109, (1, 0), (0, 1))
        v111 = v91.to(dtype=torch.float16)
        v112 = torch.movedim(v111, (1, 0), (0, 1))
        v113 = v110.mul(v112)
        v46 = v113.t()
        return (v3, v7, v18, v21, v27, v29, v34, v41, v42, v45, v46, v13, v31,)


try:
    program(A, arguments=['w_27ecd0a598e76f8a_4x1_uint8'], layouts=['contiguous', 'contiguous', 'contiguous', 'contiguous', 'sliced'])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(SHOWS)
print("the compiler did not fail")
sys.exit(FINE)
