"""F.multi_margin_loss of one sample has the shape (1,) in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch.nn.functional as F


def function(x, target, targets):
    return F.multi_margin_loss(x, target, reduction="none"), F.multilabel_margin_loss(x, targets, reduction="none")


inputs = torch.tensor([0.5, 0.1, 0.2]), torch.tensor(2), torch.tensor([1, -1, 0])
due = [tuple(loss.shape) for loss in function(*inputs)]
given = [tuple(loss.shape) for loss in torch.compile(function)(*inputs)]
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
