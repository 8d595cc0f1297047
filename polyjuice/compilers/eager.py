"""PyTorch eager, as a control: nothing is compiled, so that nothing may ever be found."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from . import _torch
from ._torch import Array, Loaded

FORMAT = "torch"
SPEED = "fast"
PROBE = "eager"
NEEDS = "torch>=2.1: pip install 'polyjuice-fuzzer[inductor]'"

REPRO_IMPORTS = """
import copy

import torch
import torch.nn.functional as F
"""
REPRO = """
def prepare(model, inputs, dynamic=False, freezing=False, updates=()):
    def call():
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        outputs = [*model(*fresh)]
        for place, number in updates:  # what an input holds in the end is an output, too
            outputs.insert(place, fresh[number])
        return outputs

    return call
"""

load, start, run, eager = _torch.load, _torch.start, _torch.run, _torch.run


def version() -> str:
    """That of Torch."""
    return str(torch.__version__)


def check() -> None:
    """Torch is all that it takes."""


def compile(program: Loaded, inputs: Sequence[Array]) -> Loaded:
    """The identity."""
    return program


def knobs() -> list[str]:
    """There is nothing to switch off."""
    return []
