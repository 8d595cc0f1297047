"""A deque from outside loses its maxlen in a function that torch 2.13.0 and 2.15.0 compile.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys
from collections import deque

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, history):
    history.append(x)
    return torch.stack(list(history)).mean()  # of the last three


def call(function):
    history = deque(torch.tensor([1.0, 2.0, 3.0]).unbind(), maxlen=3)
    return function(torch.tensor(4.0), history).item()


due, given = call(function), call(torch.compile(function))
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
