"""Programs of JAX: a class as Python source, which calls ``jax.numpy`` and ``jax.lax``."""

from polyjuice.frameworks.registry import Format, Part

FORMAT = Format(
    name="jax",
    title="JAX",
    lower=Part("polyjuice.frameworks.jax.source:lower"),
    rendering=Part("polyjuice.frameworks.jax.source:RENDERING"),
    valid="The program is valid: JAX runs it operator by operator.",
    in_suites=False,
    dialect=Part("polyjuice.frameworks.jax.source:DIALECT"),
    product="jax",
    written_for="0.10.2",
)
