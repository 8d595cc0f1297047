"""A conversion from float64 to float32 gives garbage under AVX512, in torch 2.13.0 and 2.15.0 with GCC 12.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch.nn.functional as F

torch.set_grad_enabled(False)
if torch.backends.cpu.get_cpu_capability() != "AVX512":
    raise RuntimeError("it needs a CPU with AVX512")


def function(x, weight):
    y = (F.conv2d(x, weight).double() * 3).float()
    y[:2].relu_()
    y[2:].relu_()
    return F.max_pool2d(y, 2, stride=1, padding=1)


inputs = torch.arange(180.0).reshape(5, 2, 3, 6), torch.eye(2).reshape(2, 2, 1, 1)
due = function(*inputs)
given = torch.compile(function)(*inputs)
wrong = given != due
print(f"eager: {due[wrong][:4].tolist()}, compiled: {given[wrong][:4].tolist()}, {int(wrong.sum())} of {wrong.numel()} differ")
sys.exit(bool(wrong.any()))
