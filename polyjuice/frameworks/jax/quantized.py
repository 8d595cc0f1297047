"""Quantized numbers in JAX's Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.frameworks.jax.types import jax_type
from polyjuice.frameworks.jax.windows import convolved
from polyjuice.ir import TensorType, dtypes
from polyjuice.ops import Call, Texts, Unsupported
from polyjuice.ops.shapes import normalize_axis


def _shifted(c: Call, i: int, zero: int, shape: Sequence[int] | None = None) -> str:
    text = f"{c.x[i]}.astype(jnp.int32)"
    if len(c.x) <= zero:
        return text
    point = f"{c.x[zero]}.astype(jnp.int32)"
    return f"({text} - {f'{point}.reshape({tuple(shape)})' if shape else point})"


def _matmul_integer(c: Call) -> str:
    rows = [-1, 1] if len(c.types) > 2 and c.types[2].rank == 1 and c.types[2].size > 1 else None
    return f"{_shifted(c, 0, 2, rows)} @ {_shifted(c, 1, 3)}"


def _along(c: Call, i: int) -> str:
    """A scale or a zero point in a shape that broadcasts to the first operand along the operator's axis."""
    t, rank = c.types[i], c.types[0].rank
    if t.size == 1:
        return f"{c.x[i]}.reshape(())"
    axis = normalize_axis(c.attrs["axis"], rank)
    return f"{c.x[i]}.reshape({tuple(t.size if d == axis else 1 for d in range(rank))})"


def _quantize(c: Call) -> str | Unsupported:
    to: TensorType = c.results[0]
    if to.dtype in dtypes.NARROW or c.types[0].dtype != "float32":
        return Unsupported("only float32 to 8-bit and 16-bit integers is written")
    return _rounded(f"{c.x[0]} / {_along(c, 1)}", _along(c, 2), to.dtype)


def _rounded(value: str, zero: str, dtype: str) -> str:
    limits = np.iinfo(dtypes.to_numpy(dtype))
    text = f"jnp.round({value}) + {zero}.astype(jnp.float32)"
    return f"jnp.clip({text}, {limits.min}, {limits.max}).astype({jax_type(dtype)})"


def _dequantize(c: Call) -> str | Unsupported:
    if c.types[0].dtype in dtypes.NARROW or c.types[1].dtype != "float32":
        return Unsupported("only integers of at least 8 bits to float32 is written")
    text = f"{c.x[0]}.astype(jnp.int32)"
    if len(c.x) > 2:
        text = f"({text} - {_along(c, 2)}.astype(jnp.int32))"
    return f"{text}.astype(jnp.float32) * {_along(c, 1)}"


def _dynamically_quantized(c: Call) -> str:
    low, high = c.let(f"jnp.minimum(jnp.min({c.x[0]}), 0)"), c.let(f"jnp.maximum(jnp.max({c.x[0]}), 0)")
    scale = c.let(f"({high} - {low}) / 255")
    zero = c.let(f"jnp.round(jnp.clip(-{low} / {scale}, 0, 255))")
    return f"({_rounded(f'{c.x[0]} / {scale}', zero, 'uint8')}, {scale}, {zero}.astype(jnp.uint8))"


def _requantized(c: Call, product: str) -> str:
    """A product of integers as quantized numbers: the scales are the operands 1, 4 and 6, the zero point is 7."""
    factor = f"({c.x[1]} * {c.x[4]} / {c.x[6]})"
    return _rounded(f"({product}).astype(jnp.float32) * {factor}", c.x[7], c.results[0].dtype)


def _qlinear_conv(c: Call) -> str:
    product = convolved(c, _shifted(c, 0, 2), _shifted(c, 3, 5))
    bias = f" + {c.x[8]}.reshape({(-1, *[1] * (c.types[0].rank - 2))})" if len(c.x) > 8 else ""
    return _requantized(c, f"{product}{bias}")


QUANTIZED: Mapping[str, Texts] = {
    "MatMulInteger": _matmul_integer,
    "QuantizeLinear": _quantize,
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamically_quantized,
    "QLinearMatMul": lambda c: _requantized(c, f"{_shifted(c, 0, 2)} @ {_shifted(c, 3, 5)}"),
    "QLinearConv": _qlinear_conv,
}
"""The texts by the operator's qualified name."""
