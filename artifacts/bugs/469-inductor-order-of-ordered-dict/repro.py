"""Guards of torch 2.13.0 and 2.15.0 miss a change of order by OrderedDict.move_to_end.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys
from collections import OrderedDict

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, numbers):
    for number in numbers.values():
        x = x * 3 + number
    return x


def call(function):
    numbers = OrderedDict(a=1, b=2)
    first = function(torch.tensor(1.0), numbers).item()
    numbers.move_to_end("a")  # b comes first from now on
    return first, function(torch.tensor(1.0), numbers).item()


due, given = call(function), call(torch.compile(function))
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
