"""Operators in JAX's Python whose texts their entries do not state."""

from __future__ import annotations

from collections.abc import Mapping

from polyjuice.frameworks.jax.windows import WINDOWS
from polyjuice.ops import Op, Texts
from polyjuice.ops.spec import NOT_WRITTEN

TEXTS: Mapping[str, Texts] = {**WINDOWS}


def texts_of(op: Op) -> Texts:
    """The texts of an operator; one without is written by its definition."""
    return op.texts("jax") if "jax" in op.text else TEXTS.get(op.qualified, NOT_WRITTEN)
