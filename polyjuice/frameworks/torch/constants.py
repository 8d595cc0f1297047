"""Constants that a Torch program makes itself, and its numbers: casts that Torch does by itself, numbers as arguments.

Like a Python number, a tensor of rank 0 decides the kind of a result (boolean, integer or floating), but not its width.
For example, ``x + z`` with a ``z`` of rank 0 and type int64 is int8 if ``x`` is int8, and float32 if ``x`` is float32.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from polyjuice.frameworks.choosers import Draws
from polyjuice.ir import TensorType, complexes, dtypes

_LITERAL = 12
"""The most elements of a tensor that is written out."""

_EXACT = 2**20
"""The greatest number, in sixteenths, in a range of floating numbers. Below it each number is computed exactly."""

_LARGEST = 2**62
"""The bound of the end of an integer range. Torch adds the step once more to count the elements."""


def filled(t: TensorType, number: str, like: str, draws: Draws) -> str:
    """Return the text of a tensor of one value. ``like`` is some argument of the function, or empty."""
    options = _options(t.dtype, like)
    forms = [f"torch.full({t.shape}, {number}, {options})"]
    if t.rank == 0:
        forms += [f"torch.tensor({number}, {options})", f"torch.scalar_tensor({number}, {options})"]
    if number in ("0", "0.0", "False"):
        forms.append(f"torch.zeros({t.shape}, {options})")
    if number in ("1", "1.0", "True"):
        forms.append(f"torch.ones({t.shape}, {options})")
    if like:
        forms.append(f"{like}.new_full({t.shape}, {number}, dtype=torch.{dtypes.framework_name(t.dtype)})")
    return draws.choice(forms)


def made(array: np.ndarray, like: str, draws: Draws) -> str | None:
    """Return an expression with exactly the array's value; None if no pattern fits."""
    forms = list(_forms(array, _options(dtypes.dtype_of(array), like)))
    return draws.choice(forms) if forms else None


def _options(dtype: str, like: str) -> str:
    return f"dtype=torch.{dtypes.framework_name(dtype)}" + (f", device={like}.device" if like else "")


def _forms(array: np.ndarray, options: str) -> Iterator[str]:
    dtype = dtypes.dtype_of(array)
    if array.size < 2 or dtype in ("float16", "bfloat16", *dtypes.NARROW):
        return
    if dtypes.is_complex(dtype):
        if array.size <= _LITERAL and all(
            np.isfinite(x).all() and not _has_negative_zero(x) for x in complexes.parts(array)
        ):
            yield f"torch.tensor({array.tolist()}, {options})"
        return
    if dtype != "bool" and dtype not in dtypes.WIDER_UNSIGNED:  # Torch lacks kernels for the other types
        yield from _ranges(array, options)
    if array.ndim == 2 and dtype not in dtypes.WIDER_UNSIGNED:
        yield from _matrices(array, options)
    if array.size <= _LITERAL and np.isfinite(array).all() and not _has_negative_zero(array):
        yield f"torch.tensor({array.tolist()}, {options})"


def _has_negative_zero(array: np.ndarray) -> bool:
    return bool(np.signbit(array[array == 0]).any())


def _ranges(array: np.ndarray, options: str) -> Iterator[str]:
    """Yield expressions of an arithmetic progression, in the order of the elements."""
    found = _progression(array)
    if found is None:
        return
    start, step = found
    end = start + step * array.size
    shaped = "" if array.ndim == 1 else f".reshape({array.shape})"
    yield f"torch.arange({start}, {end}, {step}, {options}){shaped}"
    if step == 1:
        yield f"torch.arange({start}, {end}, {options}){shaped}"
        yield (
            f"torch.arange({end}, {options})" if start == 0 else f"({start} + torch.arange({array.size}, {options}))"
        ) + shaped
    if array.dtype.kind == "f":
        yield f"torch.linspace({start}, {end - step}, {array.size}, {options}){shaped}"
    elif step != 1 and np.iinfo(array.dtype).min <= step and max(step, array.size) <= np.iinfo(array.dtype).max:
        yield f"({f'{start} + ' if start else ''}torch.arange({array.size}, {options}) * {step}){shaped}"


def _progression(array: np.ndarray) -> tuple[Any, Any] | None:
    """Return the first element and the step of an arithmetic progression that Torch computes exactly, or None.

    Floating elements and steps are multiples of a sixteenth.
    """
    if array.dtype.kind == "f":
        sixteenths = array.reshape(-1).astype(np.float64) * 16
        whole = np.isfinite(sixteenths).all() and (np.abs(sixteenths) < _EXACT).all() and sixteenths[0] % 1 == 0
        widths = set(np.diff(sixteenths).tolist())
        if not whole or len(widths) != 1 or 0 in widths or any(width % 1 for width in widths):
            return None
        return float(array.reshape(-1)[0]), widths.pop() / 16
    numbers = [int(number) for number in array.reshape(-1)]
    steps = {after - before for before, after in pairwise(numbers)}
    if len(steps) != 1 or 0 in steps or max(map(abs, (*numbers, 2 * numbers[-1] - numbers[-2]))) >= _LARGEST:
        return None
    return numbers[0], steps.pop()


def _matrices(array: np.ndarray, options: str) -> Iterator[str]:
    rows, columns = array.shape
    ones = f"torch.ones(({rows}, {columns}), {options})"
    if np.array_equal(array, np.eye(rows, columns, dtype=array.dtype)):
        yield f"torch.eye({rows}, {columns}, {options})"
    for k in (-1, 0, 1):
        if np.array_equal(array, np.tri(rows, columns, k, array.dtype)):
            yield f"torch.tril({ones}, {k})"
        if np.array_equal(array, np.tri(columns, rows, k, array.dtype).T):
            yield f"{ones}.triu({-k})"


# --- numbers ----------------------------------------------------------------------------------------------------------

_ARGUMENT = 0.15
"""How often a number becomes an argument if sizes are unknown."""

_LEAST, _GREATEST = -(2**63), 2**63 - 1


def as_arguments(text: str, draws: Draws, name: Callable[[np.ndarray], str]) -> str:
    """Return the text with some of its numbers replaced by the names that ``name`` returns.

    With unknown sizes, Dynamo turns such arguments into symbols: ``SymInt``, and ``SymFloat`` through a float64 tensor.
    Symbols take other lowerings than constants. ``name`` takes a number as an array of rank 0, of int64 or float64.
    """
    tree = ast.parse(text, mode="eval")
    replacing = _Replacing(lambda: draws.chance(_ARGUMENT, plain=False), name)
    changed = replacing.visit(tree)
    return ast.unparse(changed) if replacing.count else text


class _Replacing(ast.NodeTransformer):
    def __init__(self, wants: Callable[[], bool], name: Callable[[np.ndarray], str]) -> None:
        self._wants = wants
        self._name = name
        self.count = 0

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return self._replaced(node, -value)
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._replaced(node, node.value)

    def _replaced(self, node: ast.expr, value: object) -> ast.expr:
        whole = type(value) is int and _LEAST <= value <= _GREATEST
        if not (whole or type(value) is float) or not self._wants():
            return node
        self.count += 1
        return ast.Name(self._name(np.asarray(value, np.int64 if whole else np.float64)), ast.Load())
