"""Element types in JAX's Python."""

from __future__ import annotations

from polyjuice.ir import dtypes


def jax_type(dtype: str) -> str:
    return f"jnp.{'bool_' if dtype == 'bool' else dtypes.framework_name(dtype)}"
