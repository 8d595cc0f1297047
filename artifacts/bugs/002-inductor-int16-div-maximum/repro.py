"""inductor: min failed in compile: InductorError: CppCompileError: C++ compile error

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
    import torch.nn.functional as F

    ARRAYS = np.load(HERE / "inputs.npz")
except (ImportError, OSError) as error:
    print("could not run:", error)
    sys.exit(NOT_RUN)

def execute(model, inputs):
    torch._dynamo.reset()
    return torch.compile(model.eval(), fullgraph=True, dynamic=False)(*inputs)


def tensor(name):
    """An array of inputs.npz; bfloat16 is stored as the uint16 of its bits, under a name that says so."""
    if name + "@bfloat16" in ARRAYS:
        return torch.from_numpy(ARRAYS[name + "@bfloat16"].view(np.int16)).view(torch.bfloat16).to("cpu")
    return torch.from_numpy(ARRAYS[name]).to("cpu")


def run(model):
    arrays = {name.split("@")[0]: tensor(name.split("@")[0]) for name in ARRAYS if name.startswith("w_")}
    inputs = [tensor("input_%d" % i) for i in range(6)]
    with torch.no_grad():
        return execute(model(arrays).to("cpu"), inputs)


def values(output):
    return output.detach().cpu().to(torch.float64 if output.is_floating_point() else output.dtype).numpy()

class A(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("c16", arrays["w_ca2fd00fa0011907_scalar_int16"])
        self.c31 = arrays["w_96a296d224f285c6_scalar_int16"]

    def forward(self, x0, x1, x8, x11, x23, x24):
        v6 = x0 @ x1
        v8 = v6.sqrt()
        c8 = torch.full((), 0.0, dtype=torch.float32, device=x0.device)
        v7 = torch.maximum(v8, c8)
        c11 = torch.full((), -0.3093176484107971, dtype=torch.float32, device=x0.device)
        v13 = torch.eq(x1, c11)
        v9 = v13 == x8
        v23 = torch.where(x8, self.c16, x11)
        v27 = torch.div(v23, 7, rounding_mode='trunc')
        v17 = v27.mul(v23)
        v29 = x0.abs()
        v30 = F.softplus(v29, threshold=80.0)
        v19 = torch.log(v30)
        v33 = x0.mul(-1.0)
        v20 = torch.mul(v33, v29)
        v21 = torch.argmin(x1, dim=0, keepdim=True)
        v22 = torch.maximum(v27, self.c31)
        v25 = torch.where(v13, x23, x24)
        v26 = x24.to(torch.int64)
        return (v7, v9, v17, v19, v20, v21, v22, v25, v26,)


try:
    run(A)
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(SHOWS)
print("the compiler did not fail")
sys.exit(FINE)
