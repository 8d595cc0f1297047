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

from . import _llvm, _stderr, _tensorflow
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

# HLO passes of the CPU without which most programs still compile. A name that a release lacks does nothing.
_PASSES = """
    algsimp batch-dot-simplification batched_gather_scatter_normalizer batchnorm_expander bitcast_dtypes_expander
    broadcast_canonicalizer call-inliner change-op-data-type comparison-expander conditional-canonicalizer
    conditional-to-select constant_folding convolution-canonicalization convolution-group-converter
    cpu-parallel-task-assigner cse cse_barrier_expander dce dot-library-rewriter dot_decomposer
    dynamic-dimension-simplifier dynamic-index-splitter dynamic_dimension_simplifier flatten-call-graph
    float-normalization-bf16 fusion gather_expander hlo_normalization layout-assignment literal-canonicalizer
    map-inline operand_upcaster optimize_input_output_buffer_alias post_scatter_expansion_simplification
    reduce-decomposer reduce-window-resizer reduce-window-rewriter reshape-decomposer reshape-mover result_caster
    scatter_expander select_and_scatter_expander shape-canonicalizer simplification
    simplification_after_layout_assignment simplify-conditional simplify-sorts simplify-while-loops
    small-while-loop-hoisting topk-decomposer topk-rewriter transpose-folding tree_reduction_rewriter tuple-simplifier
    while-loop-constant-sinking while-loop-invariant-code-motion while-loop-trip-count-annotator
    zero_sized_hlo_elimination
"""
# Flags that switch off other parts of XLA. An unknown flag ends the process: older releases may lack some.
_SETTINGS = ("xla_cpu_enable_concurrency_optimized_scheduler", "xla_cpu_multi_thread_eigen")
_SETTING = "setting "
_OFF = {
    "avx": "xla_cpu_max_isa=SSE4_2",
    "excess-precision": "xla_allow_excess_precision=false",
    "fast-min-max": "xla_cpu_enable_fast_min_max=false",
    "fusion-emitters": "xla_cpu_use_fusion_emitters=false",
    "wide-vectors": "xla_cpu_prefer_vector_width=128",
    **{_SETTING + name: f"{name}=false" for name in _SETTINGS},
}
_LOOP_UNROLLING = "loop-unrolling"  # switched off by XLA's own name among LLVM's options
_FLAGS_SINCE = (2, 21)
_DUMPED_AFTER = re.compile(r"\.(\d{4})\.[^/]*\.after_(?!pipeline-start)([^.]+)\.before_")

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
    flags += _flags_without(options.get("disable", ()), Path(options["scratch"]))
    if options.get("trace"):
        _dump = Path(options["scratch"], "xla")
        flags += [f"--xla_dump_to={_dump}", "--xla_dump_hlo_pass_re=.*"]
    os.environ["XLA_FLAGS"] = " ".join(flags).strip()
    _tensorflow.start(options)


def _flags_without(disabled: Sequence[str], scratch: Path) -> list[str]:
    """The flags that switch off these parts. XLA splits LLVM's options at commas, hence the file."""
    passes = [name for name in disabled if name in _PASSES.split()]
    flags = [f"--{_OFF[name]}" for name in disabled if name in _OFF]
    if passes:
        flags.append("--xla_disable_hlo_passes=" + ",".join(passes))
    extra = ["xla_cpu_disable_loop_unrolling"] if _LOOP_UNROLLING in disabled else []
    options = _llvm.options(disabled)
    if options:
        path = scratch / "llvm-options"
        path.write_text("".join(f"--{option}\n" for option in options))
        extra.append(f"@{path}")
    return [*flags, *([f"--xla_backend_extra_options={','.join(extra)}"] if extra else [])]


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
    return Compiled(function, [*_changes(_dump), *_llvm.left_out("".join(log))] if _dump else [])


def run(compiled: Compiled, inputs: Sequence[Array]) -> list[Array]:
    """Call the compiled function."""
    return _tensorflow.call(compiled.function, inputs)


def knobs() -> list[str]:
    """Settings, then LLVM's passes, HLO passes by name, and other parts."""
    parts = [*_OFF, _LOOP_UNROLLING] if tuple(map(int, tf.__version__.split(".")[:2])) >= _FLAGS_SINCE else []
    settings = [name for name in parts if name.startswith(_SETTING)]
    return [*settings, _llvm.FAMILY, *_PASSES.split(), *(name for name in parts if name not in settings)]


def trace(compiled: Compiled) -> list[str]:
    """The HLO passes that changed the program, each once, then LLVM's skipped passes.

    Empty unless the option `trace` is set.
    """
    return compiled.changes


def _changes(dump: Path) -> list[str]:
    """The passes in the names of the files that XLA wrote, one file after each change."""
    found = sorted(filter(None, map(_DUMPED_AFTER.search, map(str, dump.glob("*.txt")))), key=lambda match: match[1])
    return list(dict.fromkeys(match[2] for match in found))
