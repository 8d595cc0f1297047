"""The pad of an integer division ends the process by SIGFPE in TorchInductor of torch 2.15.0 on the CPU.

The vectorised kernel divides in the pads too, by zero. fmod and remainder raise ZeroDivisionError there. Exits 1 where
the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import subprocess
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

DIVISIONS = {
    "div": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "fmod": torch.fmod,
    "remainder": torch.remainder,
    "floor_divide": torch.floor_divide,
}


def check(name):
    """Compile the pad of one division and compare it with eager: 0 where they agree."""

    def padded(x, y):
        return torch.nn.functional.pad(DIVISIONS[name](x, y), (1, 1))

    x, y = torch.arange(48).reshape(3, 16), torch.full((3, 16), 7)  # no divisor is zero
    try:
        return not torch.equal(torch.compile(padded)(x, y), padded(x, y))
    except RuntimeError as error:
        print(error)
        return 1


if len(sys.argv) > 1:
    sys.exit(check(sys.argv[1]))
torch.compile(torch.neg)(torch.ones(3))

# The check: compiled, the program must do as eager does.
shows = False
children = {
    name: subprocess.Popen([sys.executable, __file__, name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for name in DIVISIONS
}
for name, child in children.items():
    printed, _ = child.communicate()
    print(f"{name}: status {child.returncode} {printed.strip()[-17:]}".rstrip())
    shows |= child.returncode != 0
sys.exit(shows)
