"""A dynamic_slice of a dynamic_slice reads the wrong element, in XLA in JAX 0.10.2 on the CPU, silently.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax
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


def sliced(x, i, j):
    return lax.dynamic_slice(lax.dynamic_slice(x, (i,), (4,)), (j,), (1,))


def main():
    x = jnp.arange(10)
    wrong = differs("x[9:][0]", sliced, [6], x, 9, 0)  # 9 is clamped to 10 - 4
    return differs("x[0:4][9]", sliced, [3], x, 0, 9) or wrong  # 9 is clamped to 4 - 1


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
