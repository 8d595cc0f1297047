"""XLA, through JAX's jax.jit, on a CPU.

The uncompiled run disables `jit`: JAX then runs one operator after the other, each as a small XLA program of its own.
"""

from __future__ import annotations

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _narrow, _source, _xla
from ._narrow import Array

INFO: dict[str, Any] = {
    "targets": "xla",
    "format": "jax",
    "needs": "jax>=0.4.30: pip install 'polyjuice-fuzzer[jax]'",
    "default": True,
    "guards_suites": True,
    "valid": "The program is valid: JAX runs it without `jax.jit`.",
    "forks": False,
    "broad": ["avx", "fusion-emitters", "wide-vectors", "fusion", "loop-unrolling", "layout-assignment"],
    "conditions": {
        "avx": "with `XLA_FLAGS=--xla_cpu_max_isa=SSE4_2`",
        "threads": "with one thread (`NPROC=1`)",
    },
    "levels": ["0", "1", "2", "3"],
    "level_names": {
        "0": "xla_backend_optimization_level 0",
        "1": "xla_backend_optimization_level 1",
        "2": "xla_backend_optimization_level 2",
        "3": "xla_backend_optimization_level 3",
    },
    "repro_imports": """
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)
""",
    "repro_call": "jax.jit($model)($inputs)",
    "repro": """
def prepare(model, inputs, level="3"):
    compiled = jax.jit(model, compiler_options={"xla_backend_optimization_level": int(level)})
    return lambda: compiled(*inputs)
""",
}

_dump: Path | None = None

trace = _xla.trace


def version() -> str:
    """JAX's version."""
    return str(jax.__version__)


def check() -> None:
    """Nothing to check: jaxlib, which has XLA, comes with JAX."""


def start(options: dict[str, Any]) -> None:
    """Set XLA's flags, which it reads at its first compilation. Raises RuntimeError for another device than the CPU."""
    global _dump
    if options.get("device", "cpu") != "cpu":
        raise RuntimeError("the compiler jax runs on a CPU alone; use --device cpu")
    _dump = _xla.set_flags("jax", INFO["levels"], options)
    if "threads" in options:
        os.environ["NPROC"] = str(options["threads"])  # XLA reads it for its first program
    jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]
    jax.config.update("jax_platforms", "cpu")  # type: ignore[no-untyped-call]


def load(artifact: dict[str, Any]) -> Callable[..., Any]:
    """Execute the source, and build its `Model` from the arrays."""
    module = _source.module_of(artifact["source"])
    model: Callable[..., Any] = module.Model({name: tensor(array) for name, array in artifact["arrays"].items()})
    return model


def eager(program: Callable[..., Any], inputs: Sequence[Array]) -> list[Array]:
    """Run a program operator by operator, even where its source asks JAX to compile a part."""
    with jax.disable_jit():
        return _call(program, inputs)


def compile(program: Callable[..., Any], inputs: Sequence[Array]) -> _xla.Compiled:
    """Compile for inputs of these types. Raises NotImplementedError where JAX or XLA lacks an operator."""
    lowered = jax.jit(lambda *values: program(*values)).lower(*[tensor(array) for array in inputs])
    try:
        with _xla.traced(_dump) as changes:
            function = lowered.compile()
    except jax.errors.JaxRuntimeError as error:
        if "UNIMPLEMENTED" in str(error):
            raise NotImplementedError(str(error)) from error
        raise
    return _xla.Compiled(function, changes)


def run(compiled: _xla.Compiled, inputs: Sequence[Array]) -> list[Array]:
    """Call the compiled program."""
    return _call(compiled.function, inputs)


def _call(function: Callable[..., Any], inputs: Sequence[Array]) -> list[Array]:
    return [to_array(output) for output in function(*[tensor(array) for array in inputs])]


def knobs() -> list[str]:
    """Settings, then LLVM's passes, HLO passes by name, and other parts."""
    return _xla.knobs(everything=True)


def tensor(array: Array) -> Any:
    """A new JAX array that shares no memory with the array."""
    return jnp.array(_narrow.to_numpy(array))


def to_array(value: Any) -> Array:
    """The inverse of `tensor`."""
    return _narrow.from_numpy(np.asarray(value))
