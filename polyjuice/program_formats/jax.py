"""Programs of JAX: a class as Python source, which calls ``jax.numpy`` and ``jax.lax``."""

from polyjuice.program_formats import Format, Part

FORMAT = Format(
    name="jax",
    title="JAX",
    lower=Part("polyjuice.lower.jax_source:lower"),
    rendering=Part("polyjuice.triage.reproducers.of_jax:RENDERING"),
    valid="The program is valid: JAX runs it operator by operator.",
    in_suites=False,
    dialect=Part("polyjuice.lower.jax_source:DIALECT"),
    product="jax",
    written_for="0.10.2",
)
