"""What Inductor did to one graph: passes and patterns that changed it, and the kernels that came out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_PATTERNS = ("ReplacementPatternEntry", "LoweringPatternEntry", "GraphPatternEntry")
_KERNEL_NAMES = ("cpp_fused", "triton_")  # how they begin

_changes: list[str] = []


def watch() -> None:
    """Have Inductor note its changes and its kernels from now on. This slows compilation down."""
    import torch._inductor.codecache as codecache
    import torch._inductor.pattern_matcher as matcher
    from torch.fx.passes.graph_transform_observer import GraphTransformObserver as Observer

    for kind in _PATTERNS:
        entry = getattr(matcher, kind)
        entry.apply = _noting_pattern(entry.apply)
    Observer.__enter__ = _remembering(Observer.__enter__)  # type: ignore[method-assign]
    Observer.__exit__ = _noting_pass(Observer.__exit__)  # type: ignore[method-assign]
    cache: Any = codecache.PyCodeCache
    cache.load_by_key_path = _noting_kernels(cache.load_by_key_path)


def clear() -> None:
    """Forget what was done to the graphs so far."""
    _changes.clear()


def noted() -> list[str]:
    """Passes and patterns that changed a graph, and kernels, since `clear`: each once, in their order.

    The name of a kernel lists the operators that it fuses.
    """
    return list(dict.fromkeys(_changes))


def _noting_pattern(apply: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(apply)
    def noted(entry: Any, *arguments: Any, **named: Any) -> None:
        handler = getattr(entry, "handler", None) or getattr(entry, "search_fn", None)
        name = getattr(entry, "pattern_name", None) or getattr(handler, "__name__", None) or type(entry).__name__
        _changes.append(f"pattern {name}")
        apply(entry, *arguments, **named)

    return noted


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
            _changes.append(f"pass {observer.passname}")
        return leave(observer, *error)

    return noted


def _noting_kernels(load: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(load)
    def noted(*arguments: Any, **named: Any) -> Any:
        module = load(*arguments, **named)
        _changes.extend(f"kernel {name}" for name in vars(module) if name.startswith(_KERNEL_NAMES))
        return module

    return noted
