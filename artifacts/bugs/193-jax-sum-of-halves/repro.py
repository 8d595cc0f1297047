"""x * 0.5 + y * 0.5 overflows where x + y does, in XLA in JAX 0.10.2 on the CPU, silently.

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


def mean(x, y):
    return x * 0.5 + y * 0.5


def main():
    x = jnp.array([60000], jnp.float16)
    wrong = differs("the mean of 60000 and 60000 of float16", mean, [60000], x, x)
    x = jnp.array([3e38], jnp.float32)
    return differs("the mean of 3e38 and 3e38", mean, [3e38], x, x) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
