"""XLA on a CPU, for the compilers that use it: its passes and flags as knobs, and the passes in its dumps."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from . import _llvm, _stderr

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
_DUMPED_AFTER = re.compile(r"\.(\d{4})\.[^/]*\.after_(?!pipeline-start)([^.]+)\.before_")


class Compiled(NamedTuple):
    """A function that XLA has compiled, the passes that changed its HLO, in order, and LLVM's skipped passes."""

    function: Callable[..., Any]
    changes: list[str]


def set_flags(compiler: str, levels: Sequence[str], options: dict[str, Any]) -> Path | None:
    """Set XLA's flags, which it reads at its first compilation, and return the folder of its dumps, if it dumps.

    Raises RuntimeError for a level that the compiler lacks.
    """
    level = str(options.get("level", 3))
    if level not in levels:
        raise RuntimeError(f"{compiler} has no level {level!r}: choose from {', '.join(levels)}")
    flags = [os.environ.get("XLA_FLAGS", ""), f"--xla_backend_optimization_level={level}"]
    flags += flags_without(options.get("disable", ()), Path(options["scratch"]))
    dump = Path(options["scratch"], "xla") if options.get("trace") else None
    if dump:
        flags += [f"--xla_dump_to={dump}", "--xla_dump_hlo_pass_re=.*"]
    os.environ["XLA_FLAGS"] = " ".join(flags).strip()
    return dump


@contextmanager
def traced(dump: Path | None) -> Iterator[list[str]]:
    """Collect what one compilation changed in the list, with a folder of dumps."""
    found: list[str] = []
    if not dump:
        yield found
        return
    shutil.rmtree(dump, ignore_errors=True)
    log: list[str] = []
    with _stderr.captured(log):
        yield found
    found += [*changes(dump), *_llvm.left_out("".join(log))]


def trace(compiled: Compiled) -> list[str]:
    """The HLO passes that changed the program, then LLVM's skipped passes.

    Empty unless the option `trace` is set.
    """
    return compiled.changes


def flags_without(disabled: Sequence[str], scratch: Path) -> list[str]:
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


def knobs(everything: bool) -> list[str]:
    """Settings, then LLVM's passes, HLO passes by name, and other parts.

    Without ``everything``, the flags that older releases lack are left out.
    """
    parts = [*_OFF, _LOOP_UNROLLING] if everything else []
    settings = [name for name in parts if name.startswith(_SETTING)]
    return [*settings, _llvm.FAMILY, *_PASSES.split(), *(name for name in parts if name not in settings)]


def changes(dump: Path) -> list[str]:
    """The passes in the names of the files that XLA wrote, one file after each change."""
    found = sorted(filter(None, map(_DUMPED_AFTER.search, map(str, dump.glob("*.txt")))), key=lambda match: match[1])
    return [match[2] for match in found]
