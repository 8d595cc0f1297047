"""Apache TVM behind an importer: the zero pipeline of Relax, and LLVM on the CPU."""

from __future__ import annotations

import os

os.environ.setdefault("TVM_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", "2"))  # read once, at the first kernel

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import tvm
from tvm import relax
from tvm.ir.instrument import pass_instrument
from tvm_ffi import Array as TvmArray
from tvm_ffi import Shape, structural_equal

from . import _llvm, _narrow
from ._narrow import Array
from ._unsupported import telling

LEVELS = ("0", "1", "2", "3")

# Passes without which a program still compiles, by the registered functions that make them. TIR's passes have moved
# between releases, from tir to tirx and s_tir.
_PASSES = """
    relax.FoldConstant relax.FuseOps relax.FuseTIR relax.RewriteDataflowReshape relax.StaticPlanBlockMemory
    relax.KillAfterLastUse relax.CanonicalizeBindings relax.DeadCodeElimination
    relax.ExpandTupleArguments relax.RemoveUnusedParameters
    tir.Simplify tir.StmtSimplify tir.NarrowDataType tir.LoopPartition tir.VectorizeLoop tir.UnrollLoop
    tir.StorageRewrite tir.HoistIfThenElse tir.RemoveNoOp tir.RewriteUnsafeSelect tir.CommonSubexprElim
    tir.CommonSubexprElimTIR tir.CompactBufferAllocation tir.RenormalizeSplitPattern tir.InjectDoubleBuffer
    tir.InjectSoftwarePipeline tir.CanonicalizeLoop tir.PlanAndUpdateBufferAllocationLocation tir.ConvertSSA
    tir.FP8ComputeLegalize
"""
# Passes of Relax that take what the importer makes, and whatever the others make of that.
_ANYTIME = """
    AdjustMatmulOrder AnnotateTIROpPattern CanonicalizeBindings CombineParallelMatmul ConvertToDataflow
    DeadCodeElimination DecomposeOpsForInference EliminateCommonSubexpr ExpandMatmulOfSum ExpandTupleArguments
    FoldBatchnormToConv2D FoldConstant FuseOps FuseTIR FuseTransposeMatmul InlinePrivateFunctions LambdaLift LegalizeOps
    Normalize NormalizeGlobalVar OptimizeLayoutTransform RemoveRedundantReshape RemoveUnusedOutputs
    RemoveUnusedParameters ReorderPermuteDimsAfterConcat ReorderTakeAfterMatmul SpecializePrimFuncBasedOnCallSite
    ToNonDataflow TopologicalSort
"""
_BYTECODE = "bytecode"  # without it, the virtual machine's main function is compiled, too
_TIR = ("tir", "tirx", "s_tir")

# TVM cannot switch off LLVM's passes by name: some have options for that, and a level switches off all.
_LLVM_OPTIONS = {
    "llvm slp-vectorizer": "-vectorize-slp:bool=0",
    "llvm loop-vectorize": "-vectorize-loops:bool=0",
    "llvm vector-combine": "-disable-vector-combine:bool=1",
    "llvm licm": "-disable-licm-promotion:bool=1",
    "llvm loop-reduce": "-disable-lsr:bool=1",
    "llvm codegenprepare": "-disable-cgp:bool=1",
    "llvm machine-cse": "-disable-machine-cse:bool=1",
    "llvm machinelicm": "-disable-machine-licm:bool=1",
    "llvm machine-sink": "-disable-machine-sink:bool=1",
    "llvm peephole-opt": "-disable-peephole:bool=1",
    "llvm machine-cp": "-disable-copyprop:bool=1",
    "llvm tailduplication": "-disable-tail-duplicate:bool=1",
    "llvm branch-folder": "-disable-branch-fold:bool=1",
    "llvm block-placement": "-disable-block-placement:bool=1",
    "llvm stack-slot-coloring": "-disable-ssc:bool=1",
}

UNSUPPORTED = re.compile(
    r"not supported|only supports?\b|unsupported|not implemented|unknown intrinsic|dtype\.bits % 8 == 0", re.IGNORECASE
)

_level = 3
_disabled: list[str] = []
_first: list[str] = []
_target: dict[str, Any] = {"kind": "llvm"}
_tracing: str | bool = False
_changes: list[str] = []
imported: list[str] = []
"""What the importer took of the last program, as `importer NAME`."""


def version() -> str:
    """TVM's version."""
    return str(tvm.__version__)


def check() -> None:
    """Raise RuntimeError where this build has no LLVM, which makes the machine code."""
    if not tvm.runtime.enabled("llvm"):
        raise RuntimeError("this build of TVM has no LLVM: pip install apache-tvm")


def start(options: dict[str, Any]) -> None:
    """Set the level and the passes of every compilation. Raises RuntimeError for another device."""
    global _level, _tracing
    if options.get("device", "cpu") != "cpu":
        raise RuntimeError("tvm is tested on the CPU alone: use --device cpu")
    level = str(options.get("level", 3))
    if level not in LEVELS:
        raise RuntimeError(f"tvm has no level {level!r}: choose from {', '.join(LEVELS)}")
    _level = int(level)
    _disabled[:] = options.get("disable", [])
    _first[:] = options.get("first", [])
    if _llvm.FAMILY in _disabled:
        _target["opt-level"] = 0
    _target["cl-opt"] = [_LLVM_OPTIONS[name] for name in _disabled if name in _LLVM_OPTIONS]
    _tracing = options.get("trace", False)


def compile(program: tvm.IRModule, inputs: Sequence[Array]) -> relax.VirtualMachine:
    """Fold and fuse, which `tvm.compile` alone does not, then build.

    Raises NotImplementedError where TVM says that it lacks an operator for an element type.
    """
    _changes.clear()
    instruments = [_Changes()] if _tracing else []
    passes = [name for name in _disabled if not _llvm.is_member(name)]
    context = tvm.transform.PassContext(opt_level=_level, disabled_pass=passes, instruments=instruments)
    with telling(UNSUPPORTED), context:
        for name in _first:
            program = getattr(relax.transform, name)()(program)
        module = relax.get_pipeline("zero")(program)
        mode = "compiled" if _BYTECODE in _disabled else "bytecode"
        executable = relax.build(module, tvm.target.Target(_target), exec_mode=mode)
    return relax.VirtualMachine(executable, tvm.cpu())


def run(compiled: relax.VirtualMachine, inputs: Sequence[Array]) -> list[Array]:
    """Call the virtual machine's main function. Only now do sorting and some others reject element types."""
    with telling(UNSUPPORTED):
        outputs = compiled["main"](*[_tensor(array) for array in inputs])
    return [_to_array(output) for output in (outputs if isinstance(outputs, TvmArray) else [outputs])]


def knobs() -> list[str]:
    """LLVM's passes; then the passes above that this release has, as PassContext knows them; then bytecode."""
    return [_llvm.FAMILY, *(name for entry in _PASSES.split() for name in _registered(entry)), _BYTECODE]


def anytime() -> list[str]:
    """The passes above that this release has."""
    return [name for name in _ANYTIME.split() if hasattr(relax.transform, name)]


def trace(compiled: relax.VirtualMachine) -> list[str]:
    """The passes that changed the module, in order, then LLVM's skipped passes.

    Before these come the operators that the importer took, and among them those that were legalized. Empty unless the
    option `trace` is set.
    """
    off = _LLVM_OPTIONS if _llvm.FAMILY in _disabled else [name for name in _disabled if name in _LLVM_OPTIONS]
    taken = imported if _tracing else []
    return [*taken, *_changes, *(f"without {name}" for name in off if _tracing)]


@pass_instrument
class _Changes:
    """Records the passes that change the module. Passes run inside passes, hence the stack."""

    def __init__(self) -> None:
        self._before: list[tvm.IRModule] = []

    def run_before_pass(self, module: tvm.IRModule, info: Any) -> None:
        self._before.append(module)

    def run_after_pass(self, module: tvm.IRModule, info: Any) -> None:
        before = self._before.pop()
        if info.name == "LegalizeOps":
            _changes.extend(f"legalize {name}" for name in sorted(_operators(before) - _operators(module)))
        if info.name == "sequential" or "pipeline" in info.name:
            return
        if not structural_equal(before, module):
            _changes.append(info.name)
        elif _tracing == "passes":
            _changes.append(f"{info.name}: no change")


def _operators(module: tvm.IRModule) -> set[str]:
    """The names of Relax's operators that a module calls."""
    found: set[str] = set()

    def visit(expression: Any) -> None:
        if isinstance(expression, relax.Call) and isinstance(expression.op, tvm.ir.Op):
            found.add(expression.op.name.removeprefix("relax."))

    for function in module.functions.values():
        if isinstance(function, relax.Function):
            relax.analysis.post_order_visit(function, visit)
    return found


def _registered(entry: str) -> list[str]:
    family, name = entry.split(".")
    if family == "relax":
        return [name] if tvm.get_global_func(f"relax.transform.{name}", allow_missing=True) else []
    return [
        f"{family}.{name}" for family in _TIR if tvm.get_global_func(f"{family}.transform.{name}", allow_missing=True)
    ]


def _tensor(array: Array) -> tvm.runtime.Tensor:
    if array[0] in ("int4", "uint4"):
        raise NotImplementedError("arrays of 4-bit integers are passed to ONNX Runtime alone")
    return tvm.runtime.tensor(_narrow.to_numpy(array))


def _to_array(value: tvm.runtime.Tensor | Shape | int) -> Array:
    if isinstance(value, Shape | int):  # the result of the operator Shape, or an element of it
        return "int64", np.array(value, np.int64)
    if str(value.dtype) in ("int4", "uint4"):
        raise NotImplementedError("arrays of 4-bit integers are passed to ONNX Runtime alone")
    return (
        ("bfloat16", value.numpy().view(np.uint16)) if value.dtype == "bfloat16" else _narrow.from_numpy(value.numpy())
    )
