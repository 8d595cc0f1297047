"""``argmax`` and ``argmin`` skip NaN, but eager returns its index."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/118266"
CAUSE = "codegen"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["ArgMax", "ArgMin"]


class Module(torch.nn.Module):
    """The trigger."""

    def forward(self, x):
        """Run the trigger."""
        return x.argmax(), x.argmin()


def program():
    """Return the trigger and inputs that show the bug."""
    return Module(), (torch.tensor([1.0, float("nan"), 3.0]),)
