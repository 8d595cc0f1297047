"""Work of torch.compile that tests nothing, spared.

What a compiled program computes and the code that is generated for it stay the same. Each function here changes one
place of Dynamo's or Inductor's; a release that lacks the place is left as it is.
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
    """Spare it from now on, in this process. A second call changes nothing."""
    for change in (_strides, _data_types, _guard_latency, _partition_symbols):
        change()
    gc.freeze()  # what was imported stays, and need not be searched again and again
    gc.set_threshold(*_COLLECT_AFTER)


def _replace(module: str, path: str, make: Callable[[Any], Any]) -> None:
    """Put what `make` returns for a function in its place, once, where this release has it."""
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
    """The stride of an affine index is a coefficient. Inductor has SymPy simplify the index and a difference for it."""

    def make(plain: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(plain)
        def stride(index: Any, var: Any, vec_length: int | None = None) -> Any:
            found = coefficient(index, var)
            return plain(index, var, vec_length) if found is None else found

        return stride

    for module in ("torch._inductor.sizevars", "torch._inductor.codegen.cpp"):
        _replace(module, "stride_at_vec_range", make)


def coefficient(index: Any, var: Any) -> Any:
    """That of a symbol in a sum of integers, symbols and integral multiples of symbols; None in anything else."""
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
    """Inductor fills its one table of operators' types anew for each operation; it changes when operators are added."""
    try:
        from torch._inductor.codegen.common import pointwise_overrides_data
        from torch._inductor.dtype_propagation import DtypePropagationOpsHandler
        from torch._inductor.utils import op_dtype_propagation_rules
    except ImportError:
        return
    if not hasattr(DtypePropagationOpsHandler, "_instance"):  # each has its own table
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
    """Dynamo clears the processor's cache to measure the guards, which it has checked before, and logs the figure."""

    def make(plain: Callable[..., float]) -> Callable[..., float]:
        @functools.wraps(plain)
        def latency(*arguments: Any, **options: Any) -> float:
            return 0.0

        return latency

    _replace("torch._dynamo.guards", "profile_guard_manager", make)


def _partition_symbols() -> None:
    """The sizes that a part of the graph depends on are none where the whole graph has none."""

    def make(plain: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(plain)
        def symbols(*arguments: Any, **options: Any) -> Any:
            from torch._inductor.virtualized import V
            from torch.utils._ordered_set import OrderedSet

            known = getattr(V.graph.sizevars.shape_env, "var_to_range", None)
            return OrderedSet() if known is not None and not known else plain(*arguments, **options)

        return symbols

    _replace("torch._inductor.scheduler", "Scheduler.get_graph_partition_symbol_inputs", make)
