"""Forms of operands and results: optional ones present or absent, operands computed, operators of the same meaning.

BatchNormalization has no form with further results. They exist only in training, which changes the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from onnx import NodeProto, defs, helper

from polyjuice.frameworks.onnx.forms.rule import (
    FormRule,
    FormSite,
    NodeView,
    Shows,
    Write,
    attribute,
    become,
    computes,
    cut_inputs,
    drop,
    give,
    has_input,
    lacks,
    observed,
    schemas,
    set_input,
    states,
    value,
    within,
)
from polyjuice.frameworks.onnx.tensors import code_of
from polyjuice.frameworks.onnx.versions import takes
from polyjuice.ir import TensorType, dtypes

# --- operands ---------------------------------------------------------------------------------------------------------

_BIASED = {"Conv": 2, "ConvTranspose": 2, "LayerNormalization": 2, "Gemm": 2, "QLinearConv": 8}
"""Operators with an optional bias, and its position."""

_COMPUTED = 0.15

_NAMED = {
    **dict.fromkeys(("Clip", "Pad", "Slice", "Split"), 0.05),
    **dict.fromkeys(("Gemm", "QLinearConv", "QuantizeLinear"), 0.8),
    "Squeeze": 0.04,  # ONNX Runtime fails on such a Squeeze
}
"""How often an absent input is named, for operators where the usual rate is too high or too low."""

_NEVER_NAMED = ("DFT", "MaxUnpool")
"""ONNX Runtime 1.32.0 crashes on DFT's absent axis where that is named, and refuses MaxUnpool's absent shape."""

_SMALL = 2**20
"""Integers below this may be cast from int32."""

_TRAINING_OPSET = 12
"""The opset that made Dropout's ratio an input, and added training_mode."""


def rules() -> Iterator[FormRule]:
    for operator, place in _BIASED.items():
        yield observed("bias absent", [operator], _lacks(place), _shows_no(place))
        yield FormRule("bias of zeros", (operator,), 0.4, _bias_of_zeros)
    yield observed("min absent", ["Clip"], _lacks(1), lacks("min"))
    yield observed("max absent", ["Clip"], _lacks(2), lacks("max"))
    for place, name in ((1, "min"), (2, "max")):
        yield FormRule(f"{name} without effect", ("Clip",), 0.2, _no_bound(place))
    for op, schema in schemas():
        if _zero_points(schema):
            yield observed("zero point absent", [op.name], _lacks(2), _shows_no(2))
            yield FormRule("zero point absent", (op.name,), 0.5, _zero_point_absent)
    yield FormRule("k absent", ("Trilu",), 0.5, _zero_input_absent(1), lacks("k"))
    yield FormRule("constant_value absent", ("Pad",), 0.5, _zero_input_absent(2), lacks("constant_value"))
    yield FormRule("axis absent", ("DFT",), 0.5, _last_axis_absent, lacks("axis"))
    yield FormRule("frame_length absent", ("STFT",), 0.5, _frame_length_absent, lacks("frame_length"))
    yield FormRule("ratio absent", ("Dropout",), 0.5, _ratio_absent, lacks("ratio"))
    yield FormRule("training_mode given", ("Dropout",), 0.2, _training_mode, states("training_mode"))
    yield FormRule("scales given", ("Resize",), 0.4, _scales, states("scales"))
    yield FormRule("axes given", ("Resize",), 0.4, _resize_axes, states("axes"))
    yield FormRule("as Gemm", ("MatMul",), 0.1, _as_gemm)
    yield FormRule("constant B transposed", ("Gemm",), 0.4, _constant_transposed)
    yield FormRule("as Sum", ("Add",), 0.05, _as_sum)
    yield FormRule("as CastLike", ("Cast",), 0.1, _as_cast_like)
    for op, schema in schemas():
        places = [attr.place for attr in op.attrs if attr.as_input]
        for behind, at in enumerate(places, len(op.inputs)):
            place = behind if at is None else at
            name = schema.inputs[place].name
            yield FormRule(f"{name} computed", (op.name,), _COMPUTED, _computed(place), computes(name))
        if op.name not in _NEVER_NAMED and schema.inputs and _is_optional(schema.inputs[-1]):
            chance = _NAMED.get(op.name, 0.3)
            yield FormRule("absent input named", (op.name,), chance, _absent_input_named, _names_an_absent_input)
    yield from _of_results()


def _is_optional(formal: defs.OpSchema.FormalParameter) -> bool:
    return bool(formal.option == defs.OpSchema.FormalParameterOption.Optional)


def _zero_points(schema: defs.OpSchema) -> list[int]:
    """Return the positions of optional zero points."""
    return [i for i, formal in enumerate(schema.inputs) if _is_optional(formal) and formal.name.endswith("zero_point")]


def _lacks(place: int) -> Write:
    return lambda node, site: not has_input(node, place)


def _shows_no(place: int) -> Shows:
    return lambda view: not has_input(view.node, place)


def _names_an_absent_input(view: NodeView) -> bool:
    return len(view.node.input) > 0 and not view.node.input[-1]


def _absent_input_named(node: NodeProto, site: FormSite) -> bool:
    """Write an empty name for the next optional input, which could be left out."""
    formals = defs.get_schema(node.op_type, site.opset).inputs
    place = len(node.input)
    if place >= len(formals) or not _is_optional(formals[place]):
        return False
    node.input.append("")
    return True


def _zeros(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return np.zeros(shape, dtypes.to_numpy(dtype))


def _bias_of_zeros(node: NodeProto, site: FormSite) -> bool:
    place = _BIASED[node.op_type]
    if has_input(node, place):
        return False
    result, weights = site.result(node), site.operand(node, 1)
    if node.op_type == "Gemm":
        shape = site.draws.choice(((), (1,), result.shape, result.shape[1:]))
    else:
        shape = weights.shape if node.op_type == "LayerNormalization" else result.shape[1:2]
    dtype = "int32" if node.op_type == "QLinearConv" else result.dtype
    set_input(node, place, site.constant(_zeros(shape, dtype)))
    return True


def _no_bound(place: int) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        dtype = site.operand(node).dtype
        if has_input(node, place):
            return False
        if dtypes.is_float(dtype):
            bound = np.asarray(-np.inf if place == 1 else np.inf).astype(dtypes.to_numpy(dtype))
        else:
            ends = np.iinfo(dtypes.to_numpy(dtype))
            bound = np.asarray(ends.min if place == 1 else ends.max, ends.dtype)
        set_input(node, place, site.constant(bound))
        return True

    return write


def _zero_point_absent(node: NodeProto, site: FormSite) -> bool:
    """Leave out trailing zero points of zero. Without one, the result of QuantizeLinear is uint8."""
    places = _zero_points(defs.get_schema(node.op_type, site.opset))
    arrays = [site.array(node, place) for place in places]
    absent = [not has_input(node, p) or (a is not None and not a.any()) for p, a in zip(places, arrays, strict=True)]
    if not has_input(node, places[0]) or not absent[-1]:
        return False
    if node.op_type == "QuantizeLinear" and site.result(node).dtype != "uint8":
        return False
    for place, gone in reversed(list(zip(places, absent, strict=True))):
        if not gone:
            break
        if has_input(node, place):
            node.input[place] = ""
    cut_inputs(node)
    return True


def _zero_input_absent(place: int) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        array = site.array(node, place)
        if array is None or array.any():
            return False
        node.input[place] = ""
        cut_inputs(node)
        return True

    return write


def _last_axis_absent(node: NodeProto, site: FormSite) -> bool:
    """Leave out the axis of a Fourier transform before that of the parts of complex numbers."""
    array = site.array(node, 2)
    if array is None or int(array) not in (-2, site.operand(node, 0).rank - 2):
        return False
    del node.input[2:]
    return True


def _frame_length_absent(node: NodeProto, site: FormSite) -> bool:
    """Leave out a length that is that of the window. ONNX Runtime 1.32.0 crashes where the window is absent, too."""
    if not has_input(node, 2) or not has_input(node, 3):
        return False
    del node.input[3:]
    return True


def _ratio_absent(node: NodeProto, site: FormSite) -> bool:
    """Leave out the ratio, which has no meaning without training."""
    if not has_input(node, 1) and not attribute(node, "ratio"):
        return False
    drop(node, "ratio")
    del node.input[1:]
    return True


def _training_mode(node: NodeProto, site: FormSite) -> bool:
    if site.opset < _TRAINING_OPSET or has_input(node, 2):
        return False
    set_input(node, 2, site.constant(np.array(False)))
    return True


def _scales(node: NodeProto, site: FormSite) -> bool:
    """Write scales instead of sizes, if single precision holds all ratios."""
    sizes, shape = site.array(node, 3), site.operand(node).shape
    if sizes is None or 0 in shape or len(sizes) != len(shape):
        return False
    scales = sizes / np.asarray(shape, np.float64)
    if (scales.astype(np.float32) != scales).any():
        return False
    del node.input[3:]
    set_input(node, 2, site.constant(scales.astype(np.float32)))
    return True


_RESIZE_AXES_OPSET = 18


def _resize_axes(node: NodeProto, site: FormSite) -> bool:
    """Write the sizes or scales of only those axes that change."""
    place = 3 if has_input(node, 3) else 2
    array, before, after = site.array(node, place), site.operand(node).shape, site.result(node).shape
    axes = [axis for axis, (n, m) in enumerate(zip(before, after, strict=True)) if n != m]
    if site.opset < _RESIZE_AXES_OPSET or array is None or not axes or len(axes) == len(before):
        return False
    node.input[place] = site.constant(array[axes])
    give(node, "axes", axes)
    return True


def _as_gemm(node: NodeProto, site: FormSite) -> bool:
    left, right = site.operand(node), site.operand(node, 1)
    if (left.rank, right.rank) != (2, 2) or not dtypes.is_float(left.dtype):
        return False
    become(node, "Gemm", node.input)
    return True


def _constant_transposed(node: NodeProto, site: FormSite) -> bool:
    array = site.array(node, 1)
    if array is None:
        return False
    node.input[1] = site.constant(np.ascontiguousarray(array.T))
    give(node, "transB", 1 - value(node, "transB", 0))
    return True


def _as_sum(node: NodeProto, site: FormSite) -> bool:
    if not takes("Sum", (site.operand(node).dtype,), (), site.opset):
        return False
    node.op_type = "Sum"
    return True


_CAST_LIKE_OPSET = 15


def _as_cast_like(node: NodeProto, site: FormSite) -> bool:
    dtype = site.result(node).dtype
    if site.opset < _CAST_LIKE_OPSET or value(node, "to") != code_of(dtype) or dtype in dtypes.NARROW:
        return False
    become(node, "CastLike", [node.input[0], site.constant(_zeros((1,), dtype))])
    return True


def _computed(place: int) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        array = site.array(node, place)
        if array is None:
            return False
        node.input[place] = _compute(array, site)
        return True

    return write


def _compute(array: np.ndarray, site: FormSite) -> str:
    """Return the name of a value equal to an array: concatenated of two parts, cast from another type, or passed on."""
    if array.ndim == 1 and len(array) > 1:
        middle = site.draws.randrange(1, len(array))
        return site.apply("Concat", site.constant(array[:middle]), site.constant(array[middle:]), axis=0)
    if array.dtype == np.int64 and within(array, _SMALL):
        return site.apply("Cast", site.constant(array.astype(np.int32)), to=code_of("int64"))
    return site.apply("Identity", site.constant(array))


# --- optional results -------------------------------------------------------------------------------------------------

_ASKED_FOR, _SHOWN, _TOP_K = 0.2, 0.1, 0.3

_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "MaxPool": ("Indices",),
    "Dropout": ("mask",),
    "LayerNormalization": ("Mean", "InvStdDev"),
}
"""Operators with optional results, and the names of these, from the second result on."""

_RANKED = ("int32", "int64")

_AXES_OPSET = 13
"""The opset that made the axes of Squeeze an input."""


def _of_results() -> Iterator[FormRule]:
    for operator, names in _OPTIONAL.items():
        for place, name in enumerate(names, 1):
            yield FormRule(f"{name} asked for", (operator,), _ASKED_FOR, _asked_for(place), _has_result(place))
        for place, name in enumerate(names, 1):
            yield FormRule(f"{name} as an output", (operator,), _SHOWN, _as_an_output(place))
    yield FormRule("as TopK", ("ReduceMax", "ReduceMin"), _TOP_K, _as_top_k)


def _has_result(place: int) -> Shows:
    return lambda view: len(view.node.output) > place


def _asked_for(place: int) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        if len(node.output) > place:
            return False
        _ask_for(node, site, place)
        return True

    return write


def _ask_for(node: NodeProto, site: FormSite, place: int) -> str:
    node.output.extend("" for _ in range(place + 1 - len(node.output)))
    name: str = node.output[place] or site.fresh()
    node.output[place] = name
    return name


def _as_an_output(place: int) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        t = _type(node, site, place)
        if t is None or site.shown is None:
            return False
        name = _ask_for(node, site, place)
        site.types[name] = t
        site.shown.append(name)
        return True

    return write


def _as_top_k(node: NodeProto, site: FormSite) -> bool:
    """Compute the greatest or least integer along one axis by TopK. (Runtimes differ on NaN, so not for floats.)"""
    x, result = site.operand(node), node.output[0]
    along = value(node, "axes")
    if along is None and (array := site.array(node, 1)) is not None:
        along = array.tolist()
    if x.dtype not in _RANKED or along is None or len(along) != 1 or not x.shape[along[0]]:
        return False
    kept, largest = value(node, "keepdims", 1), int(node.op_type == "ReduceMax")
    become(node, "TopK", [node.input[0], site.integers([1])], axis=along[0], largest=largest)
    node.output[:] = [result if kept else site.fresh(), site.fresh()]
    if not kept:
        shape = tuple(1 if i == along[0] % x.rank else n for i, n in enumerate(x.shape))
        site.types[node.output[0]] = TensorType(x.dtype, shape)
        site.after.insert(0, _squeeze(node.output[0], along, result, site))
    return True


def _squeeze(name: str, axes: Sequence[int], result: str, site: FormSite) -> NodeProto:
    if site.opset < _AXES_OPSET:
        return helper.make_node("Squeeze", [name], [result], axes=axes)
    return helper.make_node("Squeeze", [name, site.integers(axes)], [result])


def _type(node: NodeProto, site: FormSite, place: int) -> TensorType | None:
    """Return the type of an optional result; None if ONNX and its runtimes disagree on it."""
    x, y = site.operand(node), site.types[node.output[0]]
    match node.op_type:
        case "MaxPool":
            return TensorType("int64", y.shape)
        case "Dropout":
            return TensorType("bool", y.shape)
        case _ if x.dtype == "float32":
            axis = value(node, "axis", -1) % x.rank
            return TensorType("float32", (*x.shape[:axis], *[1] * (x.rank - axis)))
        case _:
            return None
