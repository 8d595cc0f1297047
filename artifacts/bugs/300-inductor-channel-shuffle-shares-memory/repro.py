"""torch.compile: the result of channel_shuffle with 1 group shares memory with its input, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def written(shuffle):
    x = torch.zeros(1, 2, 2)
    shuffle(x, 1).add_(1)  # into the result
    return x.sum().item()


eager, compiled = written(torch.channel_shuffle), written(torch.compile(torch.channel_shuffle))
print(f"the sum of the input afterwards: eager {eager}, compiled {compiled}")
sys.exit(eager != compiled)
