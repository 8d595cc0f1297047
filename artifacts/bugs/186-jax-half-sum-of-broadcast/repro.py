"""A float16 sum of more than 65504 equal values gives infinity, in XLA in JAX 0.10.2 on the CPU, silently.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
try:
    import jax
    import jax.numpy as jnp
    import numpy as np
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def differs(what, function, due, *inputs):
    """Print the results without and with jax.jit, and tell whether the latter is not the one that is due."""
    with jax.disable_jit():
        eager = np.asarray(function(*inputs))
    compiled = np.asarray(jax.jit(function)(*inputs))
    print(f"{what}: due {due}, without jit {eager.tolist()}, with jit {compiled.tolist()}")
    return not np.allclose(compiled, due, rtol=1e-2, equal_nan=True)


def total(x):
    return jnp.sum(jnp.broadcast_to(x, (70000,)), dtype=jnp.float16)


def main():
    return differs("sum of 70000 times 0.001", total, 70, jnp.float16(0.001))


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
