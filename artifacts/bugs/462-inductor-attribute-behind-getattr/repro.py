"""An attribute that is set later is missed where __getattr__ gave it before, in torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


class Wrapper(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)

    def forward(self, x):
        return x * self.scale


def call(wrap):
    inner = torch.nn.Identity()
    inner.scale = 3.0
    model = Wrapper(inner)
    function = wrap(model)
    first = function(torch.tensor(1.0)).item()
    model.scale = 5.0
    return first, function(torch.tensor(1.0)).item()


due, given = call(lambda model: model), call(torch.compile)
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
