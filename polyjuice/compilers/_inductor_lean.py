"""Skip work of torch.compile that has no effect on the compiled program.

The compiled program and its generated code stay the same. Each function here changes one place in Dynamo or Inductor; a
release without that place stays unchanged.
"""

from __future__ import annotations

import functools
import gc
import importlib
from collections.abc import Callable
from typing import Any

SETTINGS: tuple[tuple[str, str, Any], ...] = (
    ("_inductor", "benchmark_harness", False),  # code behind the compiled program that only a benchmark calls
    ("_dynamo", "run_gc_after_compile", False),  # frees cycles earlier than Python does, and changes no value
)
"""Inductor's and Dynamo's own settings, like those in `inductor.py`."""

_COLLECT_AFTER = 50_000, 20, 20
"""The garbage collector's thresholds. A compilation makes a million objects that live until its end."""


def spare() -> None:
    """Skip this work from now on, in this process. A second call changes nothing."""
    for change in (_strides, _data_types, _guard_latency, _partition_symbols):
        change()
    gc.freeze()  # imported objects stay alive, so the collector need not search them again
    gc.set_threshold(*_COLLECT_AFTER)


def _replace(module: str, path: str, make: Callable[[Any], Any]) -> None:
    """Replace a function by the result of `make`, once, where this release has the function."""
    try:
        owner: Any = importlib.import_module(module)
    except ImportError:
        return
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent, None)
    plain = getattr(owner, name, None)
    if plain is None or hasattr(plain, "polyjuice_plain"):
        return
    made = make(plain)
    made.polyjuice_plain = plain
    setattr(owner, name, made)


def _strides() -> None:
    """Read the stride of an affine index from its coefficient; Inductor lets SymPy simplify the index for it."""

    def make(plain: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(plain)
        def stride(index: Any, var: Any, vec_length: int | None = None) -> Any:
            found = coefficient(index, var)
            return plain(index, var, vec_length) if found is None else found

        return stride

    for module in ("torch._inductor.sizevars", "torch._inductor.codegen.cpp"):
        _replace(module, "stride_at_vec_range", make)


def coefficient(index: Any, var: Any) -> Any:
    """The coefficient of a symbol in a sum of integers, symbols and their integral multiples; else None."""
    import sympy  # type: ignore[import-untyped]

    if not isinstance(index, sympy.Expr) or not isinstance(var, sympy.Symbol):
        return None
    found = sympy.S.Zero
    for term in index.args if isinstance(index, sympy.Add) else (index,):
        factor, symbol = sympy.S.One, term
        if isinstance(term, sympy.Mul) and len(term.args) == 2:
            factor, symbol = term.args
        if not isinstance(factor, sympy.Integer) or not isinstance(symbol, (sympy.Symbol, sympy.Integer)):
            return None
        if symbol == var:
            found += factor
    return found


def _data_types() -> None:
    """Fill the table of operators' types only when operators are added; Inductor fills it again for each operation."""
    try:
        from torch._inductor.codegen.common import pointwise_overrides_data
        from torch._inductor.dtype_propagation import DtypePropagationOpsHandler
        from torch._inductor.utils import op_dtype_propagation_rules
    except ImportError:
        return
    if not hasattr(DtypePropagationOpsHandler, "_instance"):  # each instance has its own table
        return
    filled_with: list[tuple[int, int]] = []

    def make(plain: Callable[[Any], None]) -> Callable[[Any], None]:
        @functools.wraps(plain)
        def fill(handler: Any) -> None:
            operators = len(op_dtype_propagation_rules), len(pointwise_overrides_data)
            if filled_with != [operators]:
                plain(handler)
                filled_with[:] = [operators]

        return fill

    _replace("torch._inductor.dtype_propagation", "DtypePropagationOpsHandler.__init__", make)


def _guard_latency() -> None:
    """Skip the timing of guards: Dynamo clears the processor's cache for it, and only logs the result."""

    def make(plain: Callable[..., float]) -> Callable[..., float]:
        @functools.wraps(plain)
        def latency(*arguments: Any, **options: Any) -> float:
            return 0.0

        return latency

    _replace("torch._dynamo.guards", "profile_guard_manager", make)


def _partition_symbols() -> None:
    """Skip the search for sizes that a part of the graph depends on, where the whole graph has none."""

    def make(plain: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(plain)
        def symbols(*arguments: Any, **options: Any) -> Any:
            from torch._inductor.virtualized import V
            from torch.utils._ordered_set import OrderedSet

            known = getattr(V.graph.sizevars.shape_env, "var_to_range", None)
            return OrderedSet() if known is not None and not known else plain(*arguments, **options)

        return symbols

    _replace("torch._inductor.scheduler", "Scheduler.get_graph_partition_symbol_inputs", make)
