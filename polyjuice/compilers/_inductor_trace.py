"""A trace of Inductor for one graph: passes that changed it, parts that it used, and the resulting kernels."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import _inductor_knobs

_KERNEL_NAMES = ("cpp_fused", "triton_")  # prefixes of kernels' names


def watch() -> None:
    """Record Inductor's changes (since Torch 2.2) and kernels from now on. This slows compilation down."""
    import torch._inductor.codecache as codecache

    passes = _inductor_knobs.observer()
    if passes:
        passes.__enter__ = _remembering(passes.__enter__)
        passes.__exit__ = _noting_pass(passes.__exit__)
    cache: Any = codecache.PyCodeCache
    cache.load_by_key_path = _noting_kernels(cache.load_by_key_path)


def clear() -> None:
    """Forget the records of earlier graphs."""
    _inductor_knobs.clear()


def noted() -> list[str]:
    """The records since `clear`, without duplicates, in order. A kernel's name lists the operators that it fuses."""
    return list(dict.fromkeys(_inductor_knobs.used()))


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
            _inductor_knobs.note(f"pass {observer.passname}")
        return leave(observer, *error)

    return noted


def _noting_kernels(load: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(load)
    def noted(*arguments: Any, **named: Any) -> Any:
        module = load(*arguments, **named)
        for name in vars(module):
            if name.startswith(_KERNEL_NAMES):
                _inductor_knobs.note(f"kernel {name}")
        return module

    return noted
