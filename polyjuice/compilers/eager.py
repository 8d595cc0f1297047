"""PyTorch eager, as a control: it compiles nothing, so a campaign must never find anything."""

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
        for place, number in updates:  # the last value of an input that it writes is an output
            outputs.insert(place, fresh[number])
        return outputs

    return call
"""

load, start, run, eager = _torch.load, _torch.start, _torch.run, _torch.run


def version() -> str:
    """Torch's version."""
    return str(torch.__version__)


def check() -> None:
    """Nothing to check: only Torch is needed."""


def compile(program: Loaded, inputs: Sequence[Array]) -> Loaded:
    """Return the program unchanged."""
    return program


def knobs() -> list[str]:
    """An empty list: there is nothing to switch off."""
    return []
