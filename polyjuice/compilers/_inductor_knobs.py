"""Parts of Inductor that a program may use and that can be switched off by name: families of knobs.

`pass NAME` (of the FX graph), `pattern NAME` (of the pattern matcher), `decomposition OPERATOR`, and `lowering
OPERATOR` (without it the operator calls ATen's kernel). Passes, decompositions and lowerings are those that Inductor
asks its own CompilerBisector about, at the places where it asks. Before Torch 2.6, which has none, decompositions and
lowerings are asked about where Inductor looks them up.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

_PATTERN_ENTRIES = ("ReplacementPatternEntry", "LoweringPatternEntry", "GraphPatternEntry")
_ASKED = {"decomposition": "decomposition", "lowerings": "lowering"}
"""Subsystems of CompilerBisector that are asked about operators."""
_BUILT_IN = ("aten", "prims")
"""Namespaces of operators that have kernels of their own."""
_OPERATOR = re.compile(r"op='([^']+)'")
_NUMBER = re.compile(r"_\d+$")

_used: list[str] = []
_off: set[str] = set()
_undecomposed: set[Any] = set()


def families() -> list[str]:
    """Those that this release has: a pattern says more than the pass that it belongs to, and so comes first."""
    return [
        "pattern *",
        *(["pass *"] if hasattr(observer(), "_check_disable_pass") else []),
        "decomposition *",
        "lowering *",
    ]


def is_member(name: str) -> bool:
    """Whether a name is that of a family, or of a member of one."""
    return name.startswith(("pass ", "pattern ", "decomposition ", "lowering "))


def watch(off: Iterable[str]) -> None:
    """Leave out those parts from now on, and note which decompositions, lowerings and patterns are used."""
    import torch._inductor.pattern_matcher as matcher

    _off.update(off)
    for kind in _PATTERN_ENTRIES:
        entry = getattr(matcher, kind)
        entry.apply = _asking_pattern(entry.apply)
    passes = observer()
    if hasattr(passes, "_check_disable_pass"):
        passes._check_disable_pass = _asking_pass(passes._check_disable_pass)
    bisector = _bisector()
    if bisector:
        bisector.disable_subsystem = classmethod(_asking_bisector(bisector.disable_subsystem.__func__))
    else:
        _ask_without_bisector()


def clear() -> None:
    """Forget what was used so far."""
    _used.clear()


def used() -> list[str]:
    """What was used since `clear`, in its order; what was left out in its place says `without` in front."""
    return list(_used)


def note(name: str) -> None:
    """Note that a part changed the program."""
    _used.append(name)


def _is_off(name: str) -> bool:
    off = name in _off or name.split(" ")[0] + " *" in _off
    if off:
        note(f"without {name}")
    return off


def _asking_pattern(apply: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(apply)
    def asking(entry: Any, *arguments: Any, **named: Any) -> None:
        handler = getattr(entry, "handler", None) or getattr(entry, "search_fn", None)
        name = getattr(entry, "pattern_name", None) or getattr(handler, "__name__", None) or type(entry).__name__
        if not _is_off(f"pattern {name}"):
            note(f"pattern {name}")
            apply(entry, *arguments, **named)

    return asking


def _asking_pass(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    @functools.wraps(check)
    def asking(observer: Any) -> bool:
        return _is_off(f"pass {observer.passname}") or check(observer)

    return asking


def _asking_bisector(disable: Callable[..., bool]) -> Callable[..., bool]:
    @functools.wraps(disable)
    def asking(bisector: Any, backend: str, subsystem: str, debug_info: Callable[[], str] | None = None) -> bool:
        if subsystem in _ASKED and debug_info:
            name = f"{_ASKED[subsystem]} {_operator(debug_info())}"
            if _is_off(name):
                return True
            note(name)
        return disable(bisector, backend, subsystem, debug_info)

    return asking


def _ask_without_bisector() -> None:
    import torch._inductor.compile_fx
    import torch._inductor.graph

    compile_fx: Any = torch._inductor.compile_fx
    graph: Any = torch._inductor.graph
    compile_fx.select_decomp_table = _asking_table(compile_fx.select_decomp_table)
    graph.fallback_node_due_to_unsupported_type = _asking_fallback(graph.fallback_node_due_to_unsupported_type)


def _asking_table(select: Callable[[], dict[Any, Callable[..., Any]]]) -> Callable[[], dict[Any, Callable[..., Any]]]:
    def asking_about(operator: Any, decompose: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(decompose)
        def asking(*arguments: Any, **named: Any) -> Any:
            name = f"decomposition {_operator(repr(operator))}"
            if _is_off(name):
                _undecomposed.add(operator)
                return NotImplemented  # the operator stays as it is
            note(name)
            return decompose(*arguments, **named)

        return asking

    @functools.wraps(select)
    def selecting() -> dict[Any, Callable[..., Any]]:
        return {operator: asking_about(operator, decompose) for operator, decompose in select().items()}

    return selecting


def _asking_fallback(falls_back: Callable[..., bool]) -> Callable[..., bool]:
    from torch._inductor.lowering import lowerings

    @functools.wraps(falls_back)
    def asking(node: Any, *arguments: Any, **named: Any) -> bool:
        if falls_back(node, *arguments, **named) or (node.target in _undecomposed and node.target not in lowerings):
            return True
        if getattr(node.target, "namespace", "") not in _BUILT_IN:
            return False
        name = f"lowering {_operator(repr(node))}"
        if _is_off(name):
            return True
        note(name)
        return False

    return asking


def _operator(description: str) -> str:
    """The operator out of `<OpOverload(op='aten.addmm', ...)>`, or out of the name of a node, as `addmm_2`."""
    described = _OPERATOR.search(description)
    return described[1] if described else _NUMBER.sub("", description)


def observer() -> Any:
    """The class that surrounds each pass over the graph; None before Torch 2.2, which has none."""
    try:
        from torch.fx.passes.graph_transform_observer import GraphTransformObserver
    except ImportError:
        return None
    return GraphTransformObserver


def _bisector() -> Any:
    """None where a release has none that asks about single operators."""
    try:
        from torch._inductor.compiler_bisector import CompilerBisector
    except ImportError:
        return None
    return CompilerBisector
