"""jnp.gcd of the least integer does not end, in JAX 0.10.2.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import jax.numpy as jnp

if "--child" in sys.argv:  # in another process, because it cannot be interrupted
    print("gcd(-128, 6) is", jnp.gcd(jnp.int8(-128), jnp.int8(6)))
    sys.exit(0)
try:
    sys.exit(subprocess.run([sys.executable, __file__, "--child"], timeout=60).returncode)
except subprocess.TimeoutExpired:
    print("gcd(-128, 6) is 2, and JAX does not end within 60 s")
    sys.exit(1)
