"""torch.onnx.export merges two calls of torch.bernoulli, and of dropout in training, in PyTorch 2.13 with onnx-ir 1.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import contextlib
import io
import logging
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch

logging.disable(logging.CRITICAL)


class Draws(torch.nn.Module):
    def forward(self, p):
        return torch.bernoulli(p) - torch.bernoulli(p)


class Masks(torch.nn.Module):
    def forward(self, x):
        dropout = torch.nn.functional.dropout
        return dropout(x, 0.5, training=True) - dropout(x, 0.5, training=True)


def operators(module):
    with contextlib.redirect_stdout(io.StringIO()):
        program = torch.onnx.export(module, (torch.full((1000,), 0.5),), dynamo=True)
    return [node.op_type for node in program.model.graph]


draws, masks = operators(Draws()), operators(Masks())
print("torch.bernoulli(p) - torch.bernoulli(p):", draws)
print("dropout(x) - dropout(x):", masks)
sys.exit(draws.count("Bernoulli") == 1 and masks.count("Dropout") == 1)
