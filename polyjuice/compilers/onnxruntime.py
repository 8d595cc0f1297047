"""ONNX Runtime on the CPU, with all graph optimizations."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state

from . import _onnx_values, _stderr

INFO: dict[str, Any] = {
    "format": "onnx",
    "needs": "onnxruntime>=1.15: pip install 'polyjuice-fuzzer[onnxruntime]'",
    "default": True,
    "guards_suites": True,
    "levels": ["disable", "basic", "extended", "layout", "all"],
    "level_names": {
        "disable": "ORT_DISABLE_ALL",
        "basic": "ORT_ENABLE_BASIC",
        "extended": "ORT_ENABLE_EXTENDED",
        "layout": "ORT_ENABLE_LAYOUT",
        "all": "ORT_ENABLE_ALL",
    },
    "switched": {},
    "fast": True,
    "traced": 80,
    # At every level, operators without a kernel for a half type compute in float32 (InsertCastTransformer). Pairs of
    # casts that become adjacent this way are removed.
    "excess_precision": ["float16", "bfloat16"],
    "edge_policies": {
        "TopK": "https://github.com/microsoft/onnxruntime/pull/10314",
    },
    "repro_imports": """
import onnxruntime
""",
    "repro_call": "onnxruntime.InferenceSession($model).run(None, $feeds)",
    "repro": """
def prepare(model, inputs, level="all", without=()):
    options = onnxruntime.SessionOptions()
    if "function-inlining" in without:
        options.add_session_config_entry("session.disable_aot_function_inlining", "1")
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"], disabled_optimizers=list(without) or None
    )
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)
""",
    "repro_narrow": """
CODES = {"float8_e4m3fn": 17, "float8_e5m2": 19, "uint4": 21, "int4": 22}  # ONNX's numbers of these types


def prepare(model, inputs, level="all", without=()):
    options = onnxruntime.SessionOptions()
    if "function-inlining" in without:
        options.add_session_config_entry("session.disable_aot_function_inlining", "1")
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"], disabled_optimizers=list(without) or None
    )
    feeds = {v.name: value(x) for v, x in zip(session.get_inputs(), inputs)}
    return lambda: [array(y) for y in session.run_with_ort_values(None, feeds)]


def value(x):
    if x.dtype.name not in CODES:
        return onnxruntime.OrtValue.ortvalue_from_numpy(x)
    bits = x.view(np.uint8)
    if "int4" in x.dtype.name:  # two lie in a byte
        flat = np.append(bits.reshape(-1) & 15, np.zeros(x.size, np.uint8))
        bits = (flat[::2] | flat[1::2] << 4).reshape(x.shape)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, CODES[x.dtype.name])


def array(y):
    name = y.data_type()[7:-1].replace("float8", "float8_")
    if name not in CODES:
        return y.numpy()
    size = int(np.prod(y.shape(), dtype=int))
    bits = np.frombuffer(ctypes.string_at(y.data_ptr(), -(-size // 2) if "int4" in name else size), np.uint8)
    if "int4" in name:
        bits = np.stack([bits & 15, bits >> 4], -1).reshape(-1)[:size]
    return bits.view(getattr(ml_dtypes, name)).reshape(y.shape())
""",
}

Array = tuple[str, "np.ndarray[Any, Any]"]

_PROVIDERS = ["CPUExecutionProvider"]
_LOG_CHANGES = 1  # the severity at which a session logs the changes of each optimizer
_RAN = re.compile(r"GraphTransformer (\S+) modified: ([01])")

# Optimizers and rewrite rules of releases 1.15 to 1.32 that concern the CPU. A name that a release lacks does nothing.
_OPTIMIZERS = """
    AttentionFusion Avx2WeightS8ToU8Transformer BiasDropoutFusion BiasGeluFusion BiasSkipLayerNormFusion
    BiasSoftmaxFusion CastChainElimination CastElimination ClipQuantRewrite CommonSubexpressionElimination
    ConstantFolding ConstantFoldingDQ ConstantSharing ConvActivationFusion ConvAddActivationFusion ConvAddFusion
    ConvBNFusion ConvMulFusion DivMulFusion DoubleQDQPairsRemover DQMatMulNBitsFusion DynamicQuantizeMatMulFusion
    EliminateDropout EliminateIdentity EliminateSlice EmbedLayerNormFusion EnsureUniqueDQForNodeUnit ExpandElimination
    FastGeluFusion FuseReluClip GatherSliceToSplitFusion GatherToSliceFusion GatherToSplitFusion GeluFusion
    GeluFusionL1 GeluFusionL2 GemmActivationFusion GemmSumFusion GemmTransposeFusion GroupQueryAttentionFusion
    GroupQueryAttentionPreNormFusion IdenticalChildrenConsolidation LabelEncoderFusion LayerNormFusion
    LayerNormFusionL1 LayerNormFusionL2 MatMul_BatchNormalization_Fusion MatMulActivationFusion MatMulAddFusion
    MatMulIntegerToFloatFusion MatMulNBitsFusion MatMulNBitsQLoRAFusion MatMulScaleFusion MatmulTransposeFusion
    NchwcTransformer NhwcTransformer NoopElimination NotWhereFusion Pad_Fusion PreShapeNodeElimination
    QDQFinalCleanupTransformer QDQPropagationTransformer QDQS8ToU8Transformer QDQSelectorActionTransformer
    QuickGeluFusion ReluQuantRewrite ReshapeFusion SimplifiedLayerNormFusion SkipLayerNormFusion
    SliceConcatToSpaceToDepthFusion SwiGluFusion TransposeOptimizer TransposeOptimizer_CPUExecutionProvider
    UnsqueezeElimination WeightBiasQuantization WhereDummyDq
"""

# The rewrite rules among them. The log names only the transformer that applies all those of a level.
_RULES = """
    CastChainElimination CastElimination ClipQuantRewrite ConvAddFusion ConvBNFusion ConvMulFusion DivMulFusion
    EliminateDropout EliminateIdentity EliminateSlice ExpandElimination FuseReluClip GemmSumFusion GemmTransposeFusion
    LabelEncoderFusion MatMul_BatchNormalization_Fusion NoopElimination NotWhereFusion Pad_Fusion
    PreShapeNodeElimination ReluQuantRewrite UnsqueezeElimination
"""
_RULES_APPLIED = "RuleBasedTransformer"

# Work of a session beside graph optimization that can be switched off; settings that a release lacks are skipped.
_SETTINGS = ("enable_mem_pattern", "enable_mem_reuse", "enable_cpu_mem_arena")
_ENTRIES = ("session.disable_prepacking",)
# This is no setting: without inlining, optimizers skip a function's operators, and bisection must blame these first.
_INLINING = "function-inlining"
_NO_INLINING = "session.disable_aot_function_inlining"
_SETTING = "setting "

_TOO_NEW = ("Unsupported model IR version", "is under development and support for this is limited")
"""Parts of a release's errors on models with opsets that are newer than the release."""

_OTHER_AXES = "mode only supports"
"""Part of the error on a Resize of more axes, or of other axes, than its mode has kernels for."""

_NO_CHANNELS = "ReorderOutput) [ShapeInferenceError] invalid channel count"
"""Part of the error on a pooling of no channels in the layout of blocks of channels."""

_REFUSED = (
    "Only N can be zero",
    "values must be finite",
    "LRN::Compute",
    "LRN<T>::Compute",
    "No valid axes are specified. This is not handled now.",
)
"""Parts of errors by which kernels refuse poolings of no channels, infinite regions, LRN of other ranks than 4, and a
MeanVarianceNormalization over no axes."""

_BY_KERNELS = ("is not supported", "does not support")
"""Parts of errors that kernels raise on types or attributes that they lack."""

_FAILURES = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.NotImplemented, state.RuntimeException)

_settings = onnxruntime.SessionOptions()
_disabled: list[str] = []
_scratch = ""
"""The folder for optimized models; "" without a trace."""
_passes = False
"""Whether a trace also names the optimizers that changed nothing."""


class Compiled(NamedTuple):
    """A session, the names of its inputs, and the optimizers that changed the graph, in order.

    ``by_address``: some of its inputs or outputs have types that NumPy lacks.
    """

    session: onnxruntime.InferenceSession
    inputs: list[str]
    changes: list[str]
    by_address: bool = False


def version() -> str:
    """ONNX Runtime's version."""
    return str(onnxruntime.__version__)


def check() -> None:
    """Nothing to check: only ONNX Runtime is needed."""


def start(options: dict[str, Any]) -> None:
    """Silence the log, and set the options that all sessions share. Raises RuntimeError for another device."""
    global _scratch, _passes
    if options.get("device", "cpu") != "cpu":
        raise RuntimeError("onnxruntime is tested on the CPU alone: use --device cpu")
    level = options.get("level", "all")
    if level not in INFO["levels"]:
        raise RuntimeError(f"onnxruntime has no level {level!r}: choose from {', '.join(INFO['levels'])}")
    levels = onnxruntime.GraphOptimizationLevel
    # Releases without a name for the layout level run it under "all".
    _settings.graph_optimization_level = getattr(levels, INFO["level_names"][level], levels.ORT_ENABLE_ALL)
    # Building a thread pool takes as long as optimizing a small graph.
    _settings.intra_op_num_threads = int(options.get("threads", os.environ.get("OMP_NUM_THREADS", 1)))
    _settings.inter_op_num_threads = 1
    disabled = options.get("disable", [])
    _disabled[:] = [name for name in disabled if not name.startswith(_SETTING) and name != _INLINING]
    if _INLINING in disabled:
        _settings.add_session_config_entry(_NO_INLINING, "1")
    for name in (name[len(_SETTING) :] for name in disabled if name.startswith(_SETTING)):
        if name in _ENTRIES:
            _settings.add_session_config_entry(name, "1")
        else:
            setattr(_settings, name, False)
    onnxruntime.set_default_logger_severity(4)
    if options.get("trace"):
        _scratch, _passes = options["scratch"], options["trace"] == "passes"
        _settings.log_severity_level = _LOG_CHANGES


def load(artifact: dict[str, Any]) -> bytes:
    """The serialized model, unchanged."""
    model: bytes = artifact["source"]
    return model


def compile(program: bytes, inputs: Sequence[Array]) -> Compiled:
    """Create a session.

    Raises NotImplementedError where a kernel is missing, for an opset that is newer than this release, and for an array
    that Python cannot pass.
    """
    log: list[str] = []
    try:
        with _stderr.captured(log) if _scratch else nullcontext():
            session = _session(program)
    except state.NotImplemented as error:
        raise NotImplementedError(str(error)) from error
    except (state.InvalidArgument, state.Fail) as error:
        if any(words in str(error) for words in (*_TOO_NEW, _OTHER_AXES, _NO_CHANNELS)):
            raise NotImplementedError(str(error)) from error
        raise
    types = [value.type for value in [*session.get_inputs(), *session.get_outputs()]]
    if "tensor(bfloat16)" in types:
        raise NotImplementedError("the Python interface has no bfloat16 arrays")
    names = [value.name for value in session.get_inputs()]
    ran = [(name, changed == "1") for name, changed in _RAN.findall("".join(log))]
    changes = [name if changed else f"{name}: no change" for name, changed in ran if changed or _passes]
    if any(_RULES_APPLIED in name and changed for name, changed in ran):
        changes += _rules_applied(program)
    return Compiled(session, names, changes, not _onnx_values.BITS.keys().isdisjoint(types))


def run(compiled: Compiled, inputs: Sequence[Array]) -> list[Array]:
    """Run the session. Raises NotImplementedError where a kernel says that it does not support the request."""
    feeds = {name: array for name, (_, array) in zip(compiled.inputs, inputs)}
    try:
        if compiled.by_address:
            values = {name: _onnx_values.value(*array) for name, array in zip(compiled.inputs, inputs)}
            return [_onnx_values.array(value) for value in compiled.session.run_with_ort_values(None, values)]
        return [(array.dtype.name, array) for array in compiled.session.run(None, feeds)]
    except (state.RuntimeException, state.Fail, state.InvalidArgument) as error:
        of_kernels = isinstance(error, state.RuntimeException)
        if any(words in str(error) for words in (_BY_KERNELS if of_kernels else (_OTHER_AXES, *_REFUSED))):
            raise NotImplementedError(str(error)) from error
        raise


def knobs() -> list[str]:
    """Settings about memory; then optimizers and rewrite rules by name, the inlining of functions, and prepacking.

    Prepacking comes last: a kernel that an optimizer chose may compute otherwise with weights that are not packed.
    """
    memory = (_SETTING + name for name in _SETTINGS if hasattr(_settings, name))
    return [*memory, *_OPTIMIZERS.split(), _INLINING, *(_SETTING + name for name in _ENTRIES)]


def trace(compiled: Compiled) -> list[str]:
    """The optimizers that changed the graph; empty unless the option `trace` is set.

    Rewrite rules, without which the optimized model is another, come last. Old releases, such as 1.15, do not log this.
    """
    return compiled.changes


def _session(program: bytes, without: Sequence[str] = ()) -> onnxruntime.InferenceSession:
    disabled = [*_disabled, *without] or None
    return onnxruntime.InferenceSession(program, _settings, providers=_PROVIDERS, disabled_optimizers=disabled)


def _rules_applied(program: bytes) -> list[str]:
    """The rewrite rules that matter: the optimized model is another without each of them. It takes 30 ms."""
    with _stderr.captured([]):
        whole = _optimized(program, [])
        return [name for name in _RULES.split() if name not in _disabled and _optimized(program, [name]) != whole]


def _optimized(program: bytes, without: Sequence[str]) -> bytes:
    path = os.path.join(_scratch, "optimized.onnx")
    _settings.optimized_model_filepath = path
    try:
        _session(program, without)
        with open(path, "rb") as file:
            return file.read()
    except (OSError, RuntimeError, *_FAILURES):
        return b""
    finally:
        _settings.optimized_model_filepath = ""
