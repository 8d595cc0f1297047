"""XLA, through TensorFlow's tf.function(jit_compile=True)."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import tensorflow as tf

from . import _llvm, _stderr, _tensorflow, _xla
from ._tensorflow import Array, Loaded

INFO: dict[str, Any] = {
    "format": "tensorflow",
    "needs": "tensorflow>=2.13: pip install 'polyjuice-fuzzer[xla]'",
    "default": True,
    "guards_suites": True,
    "valid": "The program is valid: TensorFlow runs it without XLA.",
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

load, eager = _tensorflow.load, _tensorflow.run


class Compiled(NamedTuple):
    """A function that XLA has compiled, the passes that changed its HLO, in order, and LLVM's skipped passes."""

    function: Callable[..., Any]
    changes: list[str]


def version() -> str:
    """TensorFlow's version."""
    return str(tf.__version__)


def check() -> None:
    """Nothing to check: XLA is part of TensorFlow."""


def start(options: dict[str, Any]) -> None:
    """Set XLA's flags, which it reads at its first compilation."""
    global _dump
    level = str(options.get("level", 3))
    if level not in INFO["levels"]:
        raise RuntimeError(f"xla has no level {level!r}: choose from {', '.join(INFO['levels'])}")
    flags = [os.environ.get("XLA_FLAGS", ""), f"--xla_backend_optimization_level={level}"]
    flags += _xla.flags_without(options.get("disable", ()), Path(options["scratch"]))
    if options.get("trace"):
        _dump = Path(options["scratch"], "xla")
        flags += [f"--xla_dump_to={_dump}", "--xla_dump_hlo_pass_re=.*"]
    os.environ["XLA_FLAGS"] = " ".join(flags).strip()
    _tensorflow.start(options)


def compile(program: Loaded, inputs: Sequence[Array]) -> Compiled:
    """Compile and make the first call.

    Raises NotImplementedError where XLA lacks an operator or an element type. It also does so where a Python function
    of TensorFlow needs a size that is unknown while tracing. A wrong result of TensorFlow's shape inference stays an
    error.
    """
    if _dump:
        shutil.rmtree(_dump, ignore_errors=True)
    specs = [_tensorflow.specification(array) for array in inputs] if program.dynamic else None
    function = tf.function(lambda *values: program.model(*values), specs, jit_compile=True, autograph=False)
    if program.dynamic:
        try:
            function.get_concrete_function()
        except (TypeError, ValueError) as error:
            if "{{node " in str(error):
                raise
            raise NotImplementedError(str(error)) from error
    log: list[str] = []
    try:
        with _stderr.captured(log) if _dump else nullcontext():
            _tensorflow.call(function, inputs)
    except tf.errors.UnimplementedError as error:
        raise NotImplementedError(str(error)) from error
    except tf.errors.InvalidArgumentError as error:
        if _UNSUPPORTED.search(str(error)):
            raise NotImplementedError(str(error)) from error
        raise
    return Compiled(function, [*_xla.changes(_dump), *_llvm.left_out("".join(log))] if _dump else [])


def run(compiled: Compiled, inputs: Sequence[Array]) -> list[Array]:
    """Call the compiled function."""
    return _tensorflow.call(compiled.function, inputs)


def knobs() -> list[str]:
    """Settings, then LLVM's passes, HLO passes by name, and other parts."""
    return _xla.knobs(everything=tuple(map(int, tf.__version__.split(".")[:2])) >= _FLAGS_SINCE)


def trace(compiled: Compiled) -> list[str]:
    """The HLO passes that changed the program, each once, then LLVM's skipped passes.

    Empty unless the option `trace` is set.
    """
    return compiled.changes
