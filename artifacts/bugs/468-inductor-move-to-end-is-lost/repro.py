"""OrderedDict.move_to_end in a function that torch 2.13.0 and 2.15.0 compile has no effect outside.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys
from collections import OrderedDict

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, d):
    d.move_to_end("a")
    return x + 1


due, given = OrderedDict(a=1, b=2), OrderedDict(a=1, b=2)
function(torch.ones(1), due), torch.compile(function)(torch.ones(1), given)
print(f"eager: {list(due)}, compiled: {list(given)}")
sys.exit(list(given) != list(due))
