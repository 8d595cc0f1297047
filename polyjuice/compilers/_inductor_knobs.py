"""Families of knobs for Inductor: parts that a program may use and that can be switched off by name. And its trace.

`pass NAME` (of the FX graph), `pattern NAME` (of the pattern matcher), `decomposition OPERATOR`, and `lowering
OPERATOR` (without it the operator calls ATen's kernel). Inductor asks its own CompilerBisector about passes,
decompositions and lowerings; we hook these questions. Torch before 2.6 has no such class: there we hook the lookup of
decompositions and lowerings.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_PATTERN_ENTRIES = ("ReplacementPatternEntry", "LoweringPatternEntry", "GraphPatternEntry")
_ASKED = {"decomposition": "decomposition", "lowerings": "lowering"}
"""Subsystems for which Inductor asks CompilerBisector about single operators."""
_BUILT_IN = ("aten", "prims")
"""Namespaces of operators that have kernels of their own."""
_OPERATOR = re.compile(r"op='([^']+)'")
_NUMBER = re.compile(r"_\d+$")
_IN_KERNELS = {
    "inplace-buffer": "in_out_ptr",
    "outer-loop-local-buffer": "local_buffer_data",
    "parallel-reduction": "_arr[",
    "transposed-tile": "transpose_mxn",
}
"""What a kernel's text has if the scheduler or the code generator made it in some way."""
_KERNEL_NAMES = ("cpp_fused", "triton_")  # prefixes of kernels' names

_used: list[str] = []
_off: set[str] = set()
_undecomposed: set[Any] = set()


def families() -> list[str]:
    """The families that this release has: a pattern is more specific than its pass, and so comes first."""
    return [
        "pattern *",
        *(["pass *"] if hasattr(observer(), "_check_disable_pass") else []),
        "decomposition *",
        "lowering *",
    ]


def is_member(name: str) -> bool:
    """Whether a name is a family or a member of one."""
    return name.startswith(("pass ", "pattern ", "decomposition ", "lowering "))


def watch(off: Iterable[str]) -> None:
    """Switch off these parts from now on, and record the decompositions, lowerings and patterns that are used."""
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


def trace_changes() -> None:
    """Record the passes that change a graph (since Torch 2.2), and kernels, from now on. Compilation slows down."""
    import torch._inductor.codecache as codecache

    passes = observer()
    if passes:
        passes.__enter__ = _remembering(passes.__enter__)
        passes.__exit__ = _noting_pass(passes.__exit__)
    scheduling = _scheduling()
    if hasattr(scheduling, "fuse"):  # 2.1 has none
        scheduling.fuse = _noting_fusion(scheduling.fuse)
    cache: Any = codecache.PyCodeCache
    cache.load_by_key_path = _noting_kernels(cache.load_by_key_path)


def clear() -> None:
    """Forget the recorded parts."""
    _used.clear()


def used() -> list[str]:
    """The parts and kernels recorded since `clear`, in order.

    A part that was switched off has the prefix `without`. A kernel's name lists the operators that it fuses.
    """
    return list(_used)


def note(name: str) -> None:
    """Record that a part changed the program."""
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
    """The operator in `<OpOverload(op='aten.addmm', ...)>`, or in the name of a node, such as `addmm_2`."""
    described = _OPERATOR.search(description)
    return described[1] if described else _NUMBER.sub("", description)


def observer() -> Any:
    """The class that surrounds each pass over the graph; None before Torch 2.2, which lacks it."""
    try:
        from torch.fx.passes.graph_transform_observer import GraphTransformObserver
    except ImportError:
        return None
    return GraphTransformObserver


def _bisector() -> Any:
    """CompilerBisector; None where the release lacks it."""
    try:
        from torch._inductor.compiler_bisector import CompilerBisector
    except ImportError:
        return None
    return CompilerBisector


def _remembering(enter: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(enter)
    def remembered(observer: Any) -> Any:
        observer.polyjuice_before = str(observer.gm.graph)
        return enter(observer)

    return remembered


def _noting_pass(leave: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(leave)
    def noted(observer: Any, *error: Any) -> Any:
        if str(observer.gm.graph) != observer.polyjuice_before:
            note(f"pass {observer.passname}")
        return leave(observer, *error)

    return noted


def _noting_kernels(load: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(load)
    def noted(*arguments: Any, **named: Any) -> Any:
        module = load(*arguments, **named)
        for name in vars(module):
            if name.startswith(_KERNEL_NAMES):
                note(f"kernel {name}")
        text = Path(module.__file__).read_text(encoding="utf-8")
        for part, mark in _IN_KERNELS.items():
            if mark in text:
                note(f"scheduler {part}")
        return module

    return noted


def _scheduling() -> Any:
    """The class that fuses nodes of the CPU; None where the release has none of this name."""
    try:
        from torch._inductor.codegen.cpp import CppScheduling
    except ImportError:
        return None
    return CppScheduling


def _noting_fusion(fuse: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fuse)
    def noted(scheduling: Any, first: Any, second: Any) -> Any:
        kinds = ["reduction" if node.is_reduction() else "pointwise" for node in (first, second)]
        vertical = bool(first.get_operation_names() & second.ancestors)
        note(f"scheduler {'vertical' if vertical else 'horizontal'}-{'-'.join(kinds if vertical else sorted(kinds))}")
        return fuse(scheduling, first, second)

    return noted
