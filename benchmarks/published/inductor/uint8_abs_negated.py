"""``abs`` of uint8 gives C++'s int, so its negation does not wrap around."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/187018"
CAUSE = "type"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["Abs", "Neg", "Concat", "ReduceSum"]


class Module(torch.nn.Module):
    """The trigger."""

    def forward(self, x):
        """Run the trigger."""
        y = -x.abs()
        return torch.cat([y, y]).sum()


def program():
    """Return the trigger and inputs that show the bug."""
    return Module(), (torch.tensor([200, 200], dtype=torch.uint8),)
