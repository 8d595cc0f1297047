"""OpenVINO's CPU plugin behind a frontend, set to compute float32 in float32."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import openvino

from . import _openvino_parts
from ._unsupported import telling

Array = tuple[str, "np.ndarray[Any, Any]"]

# The plugin computes these in a narrower type: float64 in float32, the integers in int32. Of int64, Polyjuice compares
# the numbers within int32 (`narrowed`).
_NARROWED = {"f64", "u64", "u32"}
# A Squeeze of an unknown rank fails in a pass behind an Unsqueeze. "Default output not supported" is bug 372.
UNSUPPORTED = re.compile(
    r"(?<!Default output )not supported|unsupported|not implemented|doesn't support|does not support|No conversion rule"
    r"|\[EliminateSqueeze\] END: node: \S+Squeeze",
    re.IGNORECASE,
)

# The frontend refuses these models, too, where it knows the sizes: `GatherElements` of fewer indices than data.
_REFUSED = re.compile("must have equal or intersecting dimensions")

# Parts of the plugin that can be switched off, and the value that does so; first one that concerns no single part.
_OFF = {"setting CPU_RUNTIME_CACHE_CAPACITY": 0, "SNIPPETS_MODE": "DISABLE", "LP_TRANSFORMS_MODE": "NO"}
_SETTING = "setting "
_PASSES = "passes"  # the file in which OpenVINO lists the transformations that ran
_AVX = "avx"  # instructions for kernels; the plugin reads the variable at the first compilation
_WITHOUT_AVX = {"ONEDNN_MAX_CPU_ISA": "SSE41"}

_FEWEST_THREADS = 2  # with one, the plugin loses the error of a run, and returns old results: bug 223 of artifacts/bugs

_settings: dict[str, Any] = {}
_off: set[str] = set()
_scratch = Path()
_tracing = False


class Loaded(NamedTuple):
    """A model, the names of its inputs and the names or numbers of its outputs in the program's order, and the names
    that operators read.
    """

    model: openvino.Model
    inputs: list[str]
    outputs: Sequence[str | int]
    read: set[str]


class Compiled(NamedTuple):
    """A request, the port of each input (None: unused), the ports of the outputs, and the trace."""

    request: openvino.InferRequest
    inputs: list[Any]
    outputs: list[Any]
    trace: list[str]


def version() -> str:
    """OpenVINO's version."""
    return str(openvino.__version__).split("-")[0]


def check() -> None:
    """Nothing to check: only OpenVINO is needed."""


def start(options: dict[str, Any]) -> None:
    """Set the options for compiling models. Raises RuntimeError for another device."""
    global _scratch, _tracing
    if options.get("device", "cpu") != "cpu":
        raise RuntimeError("openvino is tested on the CPU alone: use --device cpu")
    _settings["INFERENCE_PRECISION_HINT"] = "f32"
    _settings["EXECUTION_MODE_HINT"] = "ACCURACY"
    threads = int(options.get("threads", os.environ.get("OMP_NUM_THREADS", _FEWEST_THREADS)))
    _settings["INFERENCE_NUM_THREADS"] = max(threads, _FEWEST_THREADS)
    disabled = options.get("disable", ())
    _settings.update({name.removeprefix(_SETTING): _OFF[name] for name in disabled if name in _OFF})
    os.environ.update(_WITHOUT_AVX if _AVX in disabled else {})
    _off.update(filter(_openvino_parts.is_member, disabled))
    _scratch = Path(options["scratch"])
    _tracing = options.get("trace", False)
    if _tracing:
        os.environ["OV_ENABLE_PROFILE_PASS"] = str(_scratch / _PASSES)


def refuse_narrowed(model: openvino.Model) -> openvino.Model:
    """The model itself. Raises NotImplementedError where the plugin computes a type of it in a narrower one."""
    for node in model.get_ordered_ops():
        kinds = {output.get_element_type().get_type_name() for output in node.outputs()}
        # Elsewhere these integers are positions and shapes, which are small.
        narrowed = kinds & (_NARROWED if node.get_type_name() in ("Parameter", "Convert") else {"f64"})
        if narrowed:
            raise NotImplementedError(f"the CPU plugin narrows {', '.join(sorted(narrowed))}")
    return model


def compile(program: Loaded, inputs: Sequence[Array]) -> Compiled:
    """Compile. Raises NotImplementedError where the plugin says that it lacks an operator or an element type."""
    (_scratch / _PASSES).unlink(missing_ok=True)
    compiled = _compiled(program.model)
    changes = _changes(_scratch / _PASSES) if _tracing else []
    left_out: list[str] = []
    if _off:
        found = list(_openvino_parts.nodes(compiled, program.model))
        left_out = _openvino_parts.left_out(found, _off)
        compiled = _compiled(_openvino_parts.without(program.model, found, left_out, _scratch))
    return Compiled(
        compiled.create_infer_request(),
        _ports(compiled, program),
        [compiled.output(name) for name in program.outputs],
        [*_done(compiled, program.model, left_out), *changes] if _tracing else [],
    )


def run(compiled: Compiled, inputs: Sequence[Array]) -> list[Array]:
    """Run the request on copies of the inputs. Raises NotImplementedError for sizes that the frontend refuses."""
    for port, array in zip(compiled.inputs, inputs):
        if port is not None:
            compiled.request.set_tensor(port, _tensor(array))
    with telling(_REFUSED):
        compiled.request.infer()
    return [_to_array(compiled.request.get_tensor(port)) for port in compiled.outputs]


def knobs() -> list[str]:
    """A setting, families of parts that a program uses (see `_openvino_parts`), and other settings.

    Release builds cannot switch off single transformations.
    """
    settings = [name for name in _OFF if name.startswith(_SETTING)]
    return [*settings, *_openvino_parts.FAMILIES, *(name for name in _OFF if name not in settings), _AVX]


def trace(compiled: Compiled) -> list[str]:
    """The nodes that run, as `kind (kernel): operators of the model`, the parts that made them, and transformations.

    These are the transformations that changed the model; a group of them has one name. Empty unless the option `trace`
    is set.
    """
    return compiled.trace


def _compiled(model: openvino.Model) -> openvino.CompiledModel:
    with telling(UNSUPPORTED):
        return openvino.Core().compile_model(model, "CPU", _settings)


def _ports(compiled: openvino.CompiledModel, program: Loaded) -> list[Any]:
    """None if no node reads the input. A Dropout's input gets its output's name; the order stays (openvino#21615)."""
    ports = {name: port for port in compiled.inputs for name in port.get_names()}
    renamed = [port for port in compiled.inputs if not port.get_names() & set(program.inputs)]
    lost = [name for name in program.inputs if name in program.read and name not in ports]
    return [{**ports, **dict(zip(lost, renamed))}.get(name) for name in program.inputs]


def _done(compiled: openvino.CompiledModel, model: openvino.Model, left_out: Sequence[str]) -> list[str]:
    nodes = list(_openvino_parts.nodes(compiled, model))
    parts = dict.fromkeys(part for node in nodes for part in node.parts())
    return [*map(str, nodes), *parts, *(f"without {part}" for part in left_out)]


def _changes(path: Path) -> list[str]:
    """The transformations that changed the model, each once, from OpenVINO's own list of those that ran.

    A line of it has the transformation's name second, and ends with 1 if it changed something.
    """
    lines = [line.split(";") for line in path.read_text().splitlines()] if path.exists() else []
    changed = (line[1].rpartition("::")[2] for line in lines if len(line) > 3 and line[-1].strip() == "1")
    return [f"transformation {name}" for name in dict.fromkeys(changed)]


def _tensor(array: Array) -> openvino.Tensor:
    dtype, values = array
    if dtype == "bfloat16":
        return openvino.Tensor(values, list(values.shape), openvino.Type.bf16)
    if dtype in _FLOAT8:
        return openvino.Tensor(values, list(values.shape), _FLOAT8[dtype])
    if dtype in ("int4", "uint4"):
        raise NotImplementedError("arrays of 4-bit integers are passed to ONNX Runtime alone")
    return openvino.Tensor(values)


_FLOAT8 = {"float8e4m3fn": openvino.Type.f8e4m3, "float8e5m2": openvino.Type.f8e5m2}


def _to_array(tensor: openvino.Tensor) -> Array:
    values = tensor.data.copy()  # the request will overwrite its tensor
    if tensor.element_type == openvino.Type.bf16:
        return "bfloat16", values.view(np.uint16)
    for name, type in _FLOAT8.items():
        if tensor.element_type == type:
            return name, values.view(np.uint8)
    if tensor.element_type in (openvino.Type.i4, openvino.Type.u4):
        raise NotImplementedError("arrays of 4-bit integers are passed to ONNX Runtime alone")
    return values.dtype.name, values
