"""Polyjuice finds mis-compilation bugs in tensor compilers by equality saturation.

The Python interface is one function: `check` tests whether a compiler is right about a model.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyjuice.suite.checking import Checked, Miscompiled, NotChecked

__all__ = ["Checked", "Miscompiled", "NotChecked", "check"]


def check(
    model: Any,
    inputs: Any,
    *,
    compiler: str = "",
    variants: int = 8,
    seed: int = 0,
    rules: Iterable[str | Path] = (),
    python: str | Path = sys.executable,
    timeout_s: float = 120,
    findings: str | Path = "polyjuice-findings",
) -> Checked:
    """Compile a model and equivalent variants of it, run all of them on the inputs, and compare the results.

    ``model`` is a Torch module, with a tuple of its arguments or a dict of its keyword arguments as ``inputs``. Or it
    is an ONNX model (a path or a ModelProto), with arrays in order or by name. Without the name of a ``compiler``, it
    is the one for Torch modules. ``python`` is the interpreter that has the compiler. ``timeout_s`` is the limit in
    seconds of one compilation, and of one run. Another ``seed`` makes other variants, and ``rules`` are files of your
    own rules. The arguments alone decide: ``polyjuice.toml`` is not read, so that a call means the same from every
    folder.

    Returns which variants agreed. Raises

    - Miscompiled where the compiler is wrong; the message names the folder of the finding (in ``findings``);
    - NotChecked where the compiler does not support the model;
    - ValueError for inputs that do not fit the model, or a model that cannot be read;
    - polyjuice.compilers.EnvironmentProblem where the compiler cannot be used.

    `polyjuice.suite.checking.Checker` checks several models in one process of the compiler.
    """
    from polyjuice.suite.checking import Checker

    with Checker(compiler, python, timeout_s) as checker:
        return checker.check(model, inputs, variants=variants, seed=seed, rules=rules, findings=Path(findings))


def __getattr__(name: str) -> Any:
    """The types that `check` returns and raises, imported on first use because their modules take a second."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from polyjuice.suite import checking

    return getattr(checking, name)
