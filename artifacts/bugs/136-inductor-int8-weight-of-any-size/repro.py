"""A product with a converted int8 weight ends the process, in PyTorch 2.15.0 on the CPU.

The compiler takes it for a quantized product, whose kernel wants sizes that are multiples of 16 or more, and one scale
for each row of the weight. With one scale for all the compiled program raises an error.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


import subprocess

PROGRAM = """
import torch


def scaled(x, weight, scale):
    return torch.nn.functional.linear(x, weight.to(x.dtype)) * scale


x, weight = torch.ones(2, 3, 8, dtype=torch.bfloat16), torch.ones(4, 8, dtype=torch.int8)
scale = torch.ones({size}, dtype=torch.bfloat16)

# The check: compiled, the program must do as eager does.
with torch.no_grad():
    print("eager:", scaled(x, weight, scale).sum().item(), flush=True)
    print("inductor:", torch.compile(scaled)(x, weight, scale).sum().item())
"""

print("torch", torch.__version__)
shown = False
for size in (4, 1):
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(size=size)], capture_output=True, text=True)
    last = done.stderr.splitlines()[-1] if done.returncode > 0 else ""
    print(f"{size} scales: status {done.returncode},", *done.stdout.splitlines(), last)
    if done.returncode > 0 and "_weight_int8pack_mm" not in done.stderr:
        print("could not run")
        sys.exit(2)
    shown |= done.returncode != 0
sys.exit(shown)
