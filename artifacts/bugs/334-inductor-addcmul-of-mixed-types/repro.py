"""addcmul_ and addcdiv of float64 and float32 compute in float32 under torch.compile of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, a, b):
    quotient = torch.addcdiv(x, a, b * 3, value=0.5)
    return quotient, x.clone().addcmul_(a * 1e30, b * 1e30, value=0.5)


inputs = torch.zeros(4, dtype=torch.float64), torch.ones(4), torch.ones(4)
due = [result[0].item() for result in function(*inputs)]
given = [result[0].item() for result in torch.compile(function)(*inputs)]
print(f"eager: {due}, compiled: {given}")
sys.exit(any(abs(one - other) > 1e-12 * one for one, other in zip(due, given)))
