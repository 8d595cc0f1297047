"""XLA, through TensorFlow's tf.function(jit_compile=True)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from . import _tensorflow, _xla
from ._tensorflow import Array, Loaded

INFO: dict[str, Any] = {
    "format": "tensorflow",
    "needs": "tensorflow>=2.13: pip install 'polyjuice-fuzzer[xla]'",
    "default": True,
    "guards_suites": True,
    "valid": "The program is valid: TensorFlow runs it without XLA.",
    "broad": ["avx", "fusion-emitters", "wide-vectors", "fusion", "loop-unrolling", "layout-assignment"],
    "conditions": {
        "avx": "with `XLA_FLAGS=--xla_cpu_max_isa=SSE4_2`",
        "threads": "with one thread (`tf.config.threading.set_intra_op_parallelism_threads(1)`)",
    },
    "levels": ["0", "1", "2", "3"],
    "level_names": {
        "0": "xla_backend_optimization_level 0",
        "1": "xla_backend_optimization_level 1",
        "2": "xla_backend_optimization_level 2",
        "3": "xla_backend_optimization_level 3",
    },
    "repro_imports": """
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
""",
    "repro_call": "tf.function($model, jit_compile=True)($inputs)",
    "repro": """
def prepare(model, inputs, dynamic=False, level="3"):
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=" + level
    signature = [tf.TensorSpec([None] * x.ndim, x.dtype) for x in inputs] if dynamic else None
    compiled = tf.function(lambda *x: model(*x), signature, jit_compile=True, autograph=False)
    return lambda: compiled(*inputs)
""",
}

# Parts of TensorFlow's errors on programs that never reach XLA.
_UNSUPPORTED = re.compile(r"unsupported operations|OpKernel|must be a compile-time constant|not supported|Unsupported")

_FLAGS_SINCE = (2, 21)

_dump: Path | None = None


load, eager, trace = _tensorflow.load, _tensorflow.run, _xla.trace


def version() -> str:
    """TensorFlow's version."""
    return str(tf.__version__)


def check() -> None:
    """Nothing to check: XLA is part of TensorFlow."""


def start(options: dict[str, Any]) -> None:
    """Set XLA's flags, which it reads at its first compilation."""
    global _dump
    _dump = _xla.set_flags("xla", INFO["levels"], options)
    _tensorflow.start(options)


def compile(program: Loaded, inputs: Sequence[Array]) -> _xla.Compiled:
    """Compile and make the first call.

    Raises NotImplementedError where XLA lacks an operator or an element type. It also does so where a Python function
    of TensorFlow needs a size that is unknown while tracing. A wrong result of TensorFlow's shape inference stays an
    error.
    """
    specs = [_tensorflow.specification(array) for array in inputs] if program.dynamic else None
    function = tf.function(lambda *values: program.model(*values), specs, jit_compile=True, autograph=False)
    if program.dynamic:
        try:
            function.get_concrete_function()
        except (TypeError, ValueError) as error:
            if "{{node " in str(error):
                raise
            raise NotImplementedError(str(error)) from error
    try:
        with _xla.traced(_dump) as changes:
            _tensorflow.call(function, inputs)
    except tf.errors.UnimplementedError as error:
        raise NotImplementedError(str(error)) from error
    except tf.errors.InvalidArgumentError as error:
        if _UNSUPPORTED.search(str(error)):
            raise NotImplementedError(str(error)) from error
        raise
    return _xla.Compiled(function, changes)


def run(compiled: _xla.Compiled, inputs: Sequence[Array]) -> list[Array]:
    """Call the compiled function."""
    return _tensorflow.call(compiled.function, inputs)


def knobs() -> list[str]:
    """Settings, then LLVM's passes, HLO passes by name, and other parts."""
    return _xla.knobs(everything=tuple(map(int, tf.__version__.split(".")[:2])) >= _FLAGS_SINCE)
