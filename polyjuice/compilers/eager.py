"""PyTorch eager, as a control: it compiles nothing, so a campaign must never find anything."""

from __future__ import annotations

from . import _torch  # before Torch itself: it sets what OpenMP reads then

# isort: split
from collections.abc import Sequence
from typing import Any

import torch

from ._torch import Array, Loaded

INFO: dict[str, Any] = {
    "format": "torch",
    "needs": "torch>=2.1: pip install 'polyjuice-fuzzer[inductor]'",
    "control": True,
    "guards_suites": True,
    "fast": True,
    "probe_compiles": False,
    "repro_imports": """
import copy

import torch
import torch.nn.functional as F
""",
    "repro": """
def prepare(model, inputs, dynamic=False, freezing=False, updates=()):
    def call():
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        outputs = [*model(*fresh)]
        for place, number in updates:  # the last value of an input that it writes is an output
            outputs.insert(place, fresh[number])
        return outputs

    return call
""",
}

load, start, run, eager = _torch.load, _torch.start, _torch.run, _torch.eager


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
