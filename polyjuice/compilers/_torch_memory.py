"""The effects of a Torch program on memory: which inputs it writes, and with what its results share memory.

Two tensors share memory where a byte belongs to an element of each. Their storages do not matter: two halves of one
storage share nothing. A tensor without elements shares nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

_SEVERAL = ("Unbind", "Split", "TensorSplit", "Chunk")
"""Prefixes of gradient functions that make several views at once. Torch forbids writing into such views."""


class Watch:
    """A program's arguments, and the bytes of their memory before a run."""

    def __init__(self, arguments: Sequence[torch.Tensor]) -> None:
        self._arguments = arguments
        self._bytes = [(now := _bytes(x), now.clone()) for x in arguments]

    def seen(self, model: Any, returned: Sequence[tuple[int, torch.Tensor]]) -> dict[str, Any]:
        """The effects of the run, as plain data; ``returned`` pairs each returned tensor with its index among the
        results.

        - `written`: indices of the arguments in whose memory a byte has changed.
        - `shared`: triples of a result's index, the kind of its partner, and the partner's index or name. The kind is
          `input`, `output` or `held` (by the model).
        - `same`: pairs of results and inputs that have the same elements in the same places.
        - `differentiable`: indices of the results that require gradients and allow writes.
        - `strides`: pairs of a result's index and its strides, in elements.
        """
        written = [number for number, (now, before) in enumerate(self._bytes) if not torch.equal(now, before)]
        module = isinstance(model, torch.nn.Module)  # a compiler may turn it into a plain function
        held = [*model.named_parameters(), *model.named_buffers()] if module else []
        others = [_Tensor("input", number, x) for number, x in enumerate(self._arguments)]
        others += [_Tensor("held", name.replace("_orig_mod.", ""), x) for name, x in held]
        shared: list[tuple[int, str, Any]] = []
        same: list[tuple[int, int]] = []
        for number, value in returned:
            result = _Tensor("output", number, value)
            for other in others:
                if result.meets(other):
                    shared.append((number, other.kind, other.name))
                    if other.kind == "input" and _form(value) == _form(other.value):
                        same.append((number, other.name))
            others.append(result)
        differentiable = [number for number, value in returned if value.requires_grad and not _is_of_several(value)]
        strides = [(number, value.stride()) for number, value in returned if value.layout == torch.strided]
        return {
            "written": written,
            "shared": shared,
            "same": same,
            "differentiable": differentiable,
            "strides": strides,
        }


class _Tensor:
    def __init__(self, kind: str, name: Any, value: torch.Tensor) -> None:
        self.kind, self.name, self.value = kind, name, value
        self._start, self._end = _range(value)

    def meets(self, other: _Tensor) -> bool:
        x, y = self.value, other.value
        if self._start >= other._end or other._start >= self._end or x.device != y.device:
            return False
        return (self._is_dense and other._is_dense) or bool(np.intersect1d(_places(x), _places(y)).size)

    @property
    def _is_dense(self) -> bool:
        """Whether no other element lies between the tensor's own."""
        return self._end - self._start == self.value.nbytes and 0 not in self.value.stride()


def _range(x: torch.Tensor) -> tuple[int, int]:
    """The address range of all elements; an empty range where there is none, or the layout is not strided."""
    if x.layout != torch.strided or not x.numel():
        return 0, 0
    start = x.data_ptr()
    last = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride()))
    return start, start + (last + 1) * x.element_size()


def _places(x: torch.Tensor) -> np.ndarray[Any, Any]:
    places = np.asarray([x.data_ptr()], np.int64)
    for size, stride in zip((*x.shape, x.element_size()), (*(s * x.element_size() for s in x.stride()), 1)):
        places = np.unique(places[:, None] + np.arange(size) * stride)
    return places


def _form(x: torch.Tensor) -> tuple[object, ...]:
    """The properties that two tensors with the same elements share."""
    strides = [stride for size, stride in zip(x.shape, x.stride()) if size > 1]
    return x.data_ptr(), x.dtype, x.shape, strides, x.is_conj(), x.is_neg()


def _bytes(x: torch.Tensor) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8, device=x.device).set_(x.untyped_storage())


def _is_of_several(x: torch.Tensor) -> bool:
    """Whether a tensor is a view, or a view of a view, from an operator that makes several views at once."""
    function: Any = x.grad_fn
    while function is not None and x._base is not None:
        if type(function).__name__.startswith(_SEVERAL):
            return True
        function = next((before for before, _ in function.next_functions if before is not None), None)
    return False
