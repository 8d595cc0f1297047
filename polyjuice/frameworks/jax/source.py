"""Lower a graph to JAX source, and write JAX in reproducers."""

from __future__ import annotations

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks.choosers import Chooser
from polyjuice.frameworks.jax.types import jax_type
from polyjuice.frameworks.rendering import Constructors, Rendering, loaded_numpy, nested
from polyjuice.frameworks.request import USUAL, Request
from polyjuice.frameworks.source import Dialect, write
from polyjuice.ir import Graph, dtypes

DIALECT = Dialect(
    format="jax",
    title="JAX",
    imports="from functools import partial\n\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n",
    base="object",
    method="__call__",
    reserved=frozenset({"jax", "jnp", "lax", "partial"}),
    texts=lambda op: op.texts("jax"),
    weights=lambda attribute, key, dtype: (
        f'self.{attribute} = arrays["{key}"]',
        f'self.{attribute} = jnp.array(arrays["{key}"])',
    ),
    filled=lambda t, number, like, draws: f"jnp.full({t.shape}, {number}, {jax_type(t.dtype)})",
    broadcast="jnp.broadcast_to({x}, {shape})",
    decorators=("", "@jax.jit", "@jax.checkpoint"),
    of_methods={name: f"@partial({name[1:]}, static_argnums=0)" for name in ("@jax.jit", "@jax.checkpoint")},
)


def lower(graph: Graph, chooser: Chooser, request: Request = USUAL) -> Artifact:
    return write(graph, chooser, DIALECT)


_CONSTRUCTORS = Constructors("jnp", "jnp.full({shape}, {value}, {of})", "{}", "{x} = {x}.at[{at}].set({value})")


def _written(array: np.ndarray) -> str:
    dtype = jax_type(dtypes.dtype_of(array))
    return _CONSTRUCTORS.written(array, dtype) or f"jnp.array({nested(array, 0)}, {dtype})"


RENDERING = Rendering(
    written=_written,
    loaded=lambda dtype, name: f"jnp.array({loaded_numpy(dtype, name)})",
    model="{side}()",
    to_numpy="np.asarray({output})",
    to_single="np.asarray({output}.astype(jnp.float32))",
    type_of="{output}.dtype.name",
    constructors=_CONSTRUCTORS,
)
