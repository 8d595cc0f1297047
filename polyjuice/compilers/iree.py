"""IREE: its ONNX importer, its compiler for the CPU, and its runtime."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import platform
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import onnx
import onnx.shape_inference
from iree import compiler, runtime
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context

from . import _llvm, _narrow
from ._narrow import Array

INFO: dict[str, Any] = {
    "format": "onnx",
    "needs": "iree-base-compiler, iree-base-runtime and onnx: pip install 'polyjuice-fuzzer[iree]'",
    "broad": [
        "avx",
        "codegen-optimizations",
        "dispatch-creation-optimizations",
        "global-optimizations",
        "loop-vectorization",
        "vector-peeling",
        "vector-preprocessing",
    ],
    "conditions": {"avx": "with `--iree-llvmcpu-target-cpu=x86-64-v2`"},
    "levels": ["O0", "O1", "O2", "O3"],
    "lacks": ["functions", "com.microsoft"],
    "repro_imports": """
import onnx
import onnx.shape_inference
from iree import compiler, runtime
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context
""",
    "repro": """
def prepare(model, inputs):
    model = onnx.shape_inference.infer_shapes(onnx.load_from_string(model), data_prop=True)
    imported = onnx_importer.ModelInfo(model)
    module = imported.create_module(Context()).operation
    onnx_importer.NodeImporter.define_function(imported.main_graph, module).import_all()
    code = compiler.compile_str(
        module.get_asm(),
        target_backends=["llvm-cpu"],
        input_type="onnx",
        extra_args=["--iree-opt-level=O2", "--iree-llvmcpu-target-cpu=host", "--iree-input-demote-f64-to-f32=false"],
    )
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, code))
    types = [onnx.helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type) for v in model.graph.output]

    def call():
        outputs = context.modules.module[model.graph.name](*inputs)
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        return [x.to_host().copy().view(t) for x, t in zip(outputs, types)]

    return call
""",
}

_BACKENDS = ["llvm-cpu"]
_INPUT_PHASE = ["--compile-to=input", "--iree-input-type=onnx", "--iree-input-demote-f64-to-f32=false"]
_OUTPUT_PHASES = ["--compile-from=input", "--iree-llvmcpu-target-cpu=host"]

# Parts of the compiler that can be switched off, and the flag that does so.
_OFF = {
    "aggressive-fusion": "--iree-dispatch-creation-enable-aggressive-fusion=false",
    "aggressive-reshape-movement": "--iree-dispatch-creation-enable-aggressive-reshape-movement=false",
    "codegen-optimizations": "--iree-llvmcpu-mlir-opt-level=O0",
    "command-buffer-memoization": "--iree-hal-memoization=false",
    "const-eval": "--iree-opt-const-eval=false",
    "const-expr-hoisting": "--iree-opt-const-expr-hoisting=false",
    "data-tiling": "--iree-opt-data-tiling=false",
    "dispatch-creation-optimizations": "--iree-dispatch-creation-opt-level=O0",
    "distribution": "--iree-llvmcpu-disable-distribution=true",
    "executable-linking": "--iree-hal-link-executables=false",
    "fuse-multi-use": "--iree-dispatch-creation-fuse-multi-use=false",
    "generalize-matmul": "--iree-opt-generalize-matmul=false",
    "global-optimizations": "--iree-global-optimization-opt-level=O0",
    "loop-interleaving": "--iree-llvmcpu-loop-interleaving=false",
    "loop-unrolling": "--iree-llvmcpu-loop-unrolling=false",
    "loop-vectorization": "--iree-llvmcpu-loop-vectorization=false",
    "pad-fusion": "--iree-dispatch-creation-enable-fuse-padding-into-linalg-consumer-ops=false",
    "reassociate-fp-reductions": "--iree-llvmcpu-reassociate-fp-reductions=false",
    "slp-vectorization": "--iree-llvmcpu-slp-vectorization=false",
    "transpose-propagation": "--iree-global-opt-propagate-transposes=false",
    "ukernels": "--iree-llvmcpu-enable-ukernels=none",
    "vector-peeling": "--iree-llvmcpu-disable-vector-peeling=true",
    "vector-preprocessing": "--iree-llvmcpu-vector-pproc-strategy=none",
    "avx": "--iree-llvmcpu-target-cpu=x86-64-v2",
}
_TRACE = [
    "--mlir-print-ir-after-change",
    "--mlir-print-ir-after-all",
    "--mlir-print-skip-regions",
    "--mlir-disable-threading",
]
_CHANGED = re.compile(r"^// -----// IR Dump After (\w+)(?=:? )", re.MULTILINE)

_ERROR = re.compile(r"error: .*|Error code: -\d+")  # a negative code is the number of a signal

_flags: list[str] = []
_tracing = False
_imported: list[str] = []


class Loaded(NamedTuple):
    """A model in IREE's input dialects, the name of its function, and the element types of its results."""

    text: bytes
    name: str
    results: list[Any]


class Compiled(NamedTuple):
    """A function of a loaded module, the element types of its results, and the passes that changed something."""

    function: Any
    results: list[Any]
    changes: list[str]


def version() -> str:
    """The compiler's version."""
    return importlib.metadata.version("iree-base-compiler")


def check() -> None:
    """Nothing to check: the wheels contain the compiler's tools."""


def start(options: dict[str, Any]) -> None:
    """Set the compiler's flags. Raises RuntimeError for another device."""
    global _tracing
    if options.get("device", "cpu") != "cpu":
        raise RuntimeError("iree is tested on the CPU alone: use --device cpu")
    level = options.get("level", "O2")
    if level not in INFO["levels"]:
        raise RuntimeError(f"iree has no level {level!r}: choose from {', '.join(INFO['levels'])}")
    disabled = options.get("disable", ())
    parts = [_OFF[name] for name in disabled if name in _OFF]
    _flags[:] = [f"--iree-opt-level={level}", *parts, *(f"--{option}" for option in _llvm.options(disabled))]
    _tracing = options.get("trace", False)


def load(artifact: dict[str, Any]) -> Loaded:
    """Import the model, and lower its operators. Any error here means that the importer does not support the model.

    This runs the compiler up to the phase that follows the lowering of ONNX's operators.
    """
    model = onnx.shape_inference.infer_shapes(onnx.load_from_string(artifact["source"]), data_prop=True)
    _imported[:] = [f"importer {node.op_type}" for node in model.graph.node]
    imported = onnx_importer.ModelInfo(model)
    module = imported.create_module(Context()).operation
    onnx_importer.NodeImporter.define_function(imported.main_graph, module).import_all()
    text = _invoke(module.get_asm(), [*_INPUT_PHASE, *_flags])
    passed = {v.type.tensor_type.elem_type for v in [*model.graph.input, *model.graph.output]}
    if not passed.isdisjoint((onnx.TensorProto.INT4, onnx.TensorProto.UINT4)):
        raise NotImplementedError("arrays of 4-bit integers are passed to ONNX Runtime alone")
    results = [onnx.helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type) for v in model.graph.output]
    return Loaded(text, model.graph.name, results)


def compile(program: Loaded, inputs: Sequence[Array]) -> Compiled:
    """Compile and load the module. Raises NotImplementedError where functions for an element type are missing."""
    flags = [*_OUTPUT_PHASES, *_flags]
    if _tracing:
        log = io.StringIO()
        with contextlib.redirect_stderr(log):  # which receives the tool's diagnostics
            code = _invoke(program.text, [*flags, *_TRACE])
        changes = [*dict.fromkeys(_CHANGED.findall(log.getvalue())), *_llvm.left_out(log.getvalue())]
    else:
        code = _invoke(program.text, flags)
        changes = []
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, code))
    return Compiled(context.modules.module[program.name], program.results, changes)


def run(compiled: Compiled, inputs: Sequence[Array]) -> list[Array]:
    """Call the function."""
    outputs = compiled.function(*map(_narrow.to_numpy, inputs))
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    # The runtime knows the width of an integer, but not its sign; and its memory dies with the result.
    return [_narrow.from_numpy(output.to_host().copy().view(dtype)) for output, dtype in zip(outputs, compiled.results)]


def knobs() -> list[str]:
    """LLVM's passes, then the parts in `_OFF`; AVX on its own kind of processor alone."""
    return [_llvm.FAMILY, *(name for name in _OFF if name != "avx" or platform.machine() == "x86_64")]


def trace(compiled: Compiled) -> list[str]:
    """The operators that the importer took, and the passes that changed something, each once; then LLVM's skipped ones.

    Empty unless `trace` is set.
    """
    return list(dict.fromkeys([*_imported, *compiled.changes])) if _tracing else []


def _invoke(text: str | bytes, flags: list[str]) -> bytes:
    """Run the compiler's tool. The messages of its errors begin with the error, not with the tool's command line."""
    try:
        code: bytes = compiler.compile_str(text, target_backends=_BACKENDS, extra_args=flags)
        return code
    except compiler.CompilerToolError as error:
        cause = _ERROR.search(str(error))
        message = cause[0] if cause else str(error)
        if "undefined symbol" in message:  # IREE computes float64, for example, in float32 by default
            raise NotImplementedError(message) from error
        raise RuntimeError(message) from error
