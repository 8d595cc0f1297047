"""Definitions in ONNX's operators, written as arithmetic on terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, dtypes
from polyjuice.ops.spec import Builder, DecomposeFn

_HALF = ("float16", "bfloat16")


@dataclass(frozen=True)
class Term:
    """A value under construction; a Python number beside it becomes a constant of its element type."""

    builder: Builder
    name: str

    @property
    def dtype(self) -> str:
        return self.builder.types[self.name].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.builder.types[self.name].shape

    @property
    def rank(self) -> int:
        return len(self.shape)

    def constant(self, array: Any) -> Term:
        """An array as it is, type and all."""
        return Term(self.builder, self.builder.constant(np.asarray(array)))

    def number(self, value: float) -> Term:
        return Term(self.builder, self.builder.constant(np.asarray(value).astype(dtypes.to_numpy(self.dtype))))

    def then(self, op: str, *others: Term | float, **attrs: Any) -> Term:
        names = [other.name if isinstance(other, Term) else self.number(other).name for other in others]
        return Term(self.builder, self.builder.op(op, self.name, *names, **attrs))

    def to(self, dtype: str) -> Term:
        return self if dtype == self.dtype else self.then("Cast", to=dtype)

    def reduce(self, op: str, *axes: int, keepdims: bool = True) -> Term:
        """A reduction of ONNX, as ``Sum``, over some axes; over all without any."""
        return self.then(f"Reduce{op}", axes=axes, keepdims=int(keepdims), noop_with_empty_axes=0)

    def reshape(self, *shape: int) -> Term:
        return self.then("Reshape", shape=shape, allowzero=int(0 in shape))

    def permute(self, *perm: int) -> Term:
        return self.then("Transpose", perm=perm)

    def expand(self, *shape: int) -> Term:
        return self.then("Expand", shape=shape)

    def unsqueeze(self, *axes: int) -> Term:
        return self.then("Unsqueeze", axes=axes)

    def squeeze(self, *axes: int) -> Term:
        return self.then("Squeeze", axes=axes)

    def slice(self, axis: int, start: int, end: int, step: int = 1) -> Term:
        return self.then("Slice", starts=(start,), ends=(end,), axes=(axis,), steps=(step,))

    def __add__(self, other: Term | float) -> Term:
        return self.then("Add", other)

    def __radd__(self, other: float) -> Term:
        return self.number(other) + self

    def __rmul__(self, other: float) -> Term:
        return self.number(other) * self

    def __rtruediv__(self, other: float) -> Term:
        return self.number(other) / self

    def __matmul__(self, other: Term) -> Term:
        return self.then("MatMul", other)

    def __sub__(self, other: Term | float) -> Term:
        return self.then("Sub", other)

    def __rsub__(self, other: float) -> Term:
        return self.number(other) - self

    def __mul__(self, other: Term | float) -> Term:
        return self.then("Mul", other)

    def __truediv__(self, other: Term | float) -> Term:
        return self.then("Div", other)

    def __neg__(self) -> Term:
        return self.then("Neg")

    def __abs__(self) -> Term:
        return self.then("Abs")

    def __lt__(self, other: Term | float) -> Term:
        return self.then("Less", other)

    def __gt__(self, other: Term | float) -> Term:
        return self.then("Greater", other)

    def __ge__(self, other: Term | float) -> Term:
        return self.then("GreaterOrEqual", other)

    def __le__(self, other: Term | float) -> Term:
        return self.then("LessOrEqual", other)

    def equals(self, other: Term | float) -> Term:
        return self.then("Equal", other)


def where(condition: Term, yes: Term | float, no: Term | float) -> Term:
    """The operator Where; at least one of the branches is a term."""
    like = yes if isinstance(yes, Term) else no
    assert isinstance(like, Term)
    branches = [branch if isinstance(branch, Term) else like.number(branch) for branch in (yes, no)]
    return condition.then("Where", *branches)


def concat(axis: int, *terms: Term) -> Term:
    return terms[0].then("Concat", *terms[1:], axis=axis)


def onnx_term(function: Callable[..., Term | Sequence[Term]], widen: bool = True) -> DecomposeFn:
    """A definition from a function of the operands and the attributes, with one result or several.

    With ``widen`` half types are computed in float32, as frameworks do, because ONNX lacks some operators on them.
    """

    def build(b: Builder, x: Any, a: Attrs) -> str | Sequence[str]:
        operands = [Term(b, name) for name in x]
        dtype = operands[0].dtype
        half = widen and dtype in _HALF
        made = function(*(t.to("float32") if half and t.dtype in _HALF else t for t in operands), a)
        results = [made] if isinstance(made, Term) else made
        names = [(result.to(dtype) if half and result.dtype == "float32" else result).name for result in results]
        return names[0] if isinstance(made, Term) else names

    return build
