"""Ways to write a value into an existing tensor in Torch: whole, part by part, through views, by an operator.

Every text here writes all elements of the tensor, in its own memory.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from polyjuice.frameworks.choosers import Draws
from polyjuice.ir import Node, TensorType, dtypes
from polyjuice.ops import Call, Op

# --- views that together cover a tensor -------------------------------------------------------------------------------

AUGMENTED = {
    "{0}.add_({1})": "{0} += {1}",
    "{0}.sub_({1})": "{0} -= {1}",
    "{0}.mul_({1})": "{0} *= {1}",
    "{0}.pow_({1})": "{0} **= {1}",
    "{0}.remainder_({1})": "{0} %= {1}",
    "{0}.bitwise_and_({1})": "{0} &= {1}",
    "{0}.bitwise_or_({1})": "{0} |= {1}",
    "{0}.bitwise_xor_({1})": "{0} ^= {1}",
    "{0}.bitwise_left_shift_({1})": "{0} <<= {1}",
    "{0}.bitwise_right_shift_({1})": "{0} >>= {1}",
}
"""The assignments with the same effect as some templates."""

AUGMENTING = 0.2
"""How often such an assignment replaces the method."""

FORM = "in place through a view"

_CHANCE = 0.2

_SELECTED = 4
"""The most positions that are written one by one."""


def overwrite(template: str, call: Call, draws: Draws) -> str | None:
    """Sometimes overwrite a call's first operand by ``+=`` and the like, or through views. Return the form written."""
    assert call.do
    if template in AUGMENTED and draws.chance(AUGMENTING):
        assignment = AUGMENTED[template]
        call.do(assignment.format(*call.x))
        return assignment.split()[1]
    views = draw(call.types[0].shape, len(call.x) > 1, draws)
    for view in views:
        call.do(template.format(call.let(f"{call.x[0]}{view}"), *call.x[1:]))
    return FORM if views else None


def halves(size: int) -> list[str]:
    return [f"[:{size // 2}]", f"[{size // 2}:]"]


def selects(size: int) -> list[str]:
    """Return each position along the first axis; empty if there are many."""
    return [f".select(0, {place})" for place in range(size)] if size <= _SELECTED else []


def reversed_axes(rank: int) -> str:
    return f".permute({tuple(reversed(range(rank)))})"


def draw(shape: Sequence[int], operands: bool, draws: Draws) -> list[str]:
    """Return suffixes for a tensor whose views together cover it; sometimes none.

    With further ``operands``, the only view has the tensor's own shape.
    """
    if not draws.chance(_CHANCE):
        return []
    rank = len(shape)
    found = [["[...]"], [f".view({tuple(shape)})"], [".unsqueeze(0).squeeze(0)"]]
    if rank:
        found.append([f".narrow(0, 0, {shape[0]})"])
    if rank > 1:
        found.append([".transpose(0, 1).transpose(1, 0)"])
    return draws.choice(found if operands else [*found, *_of_other_shapes(shape)])


def _of_other_shapes(shape: Sequence[int]) -> list[list[str]]:
    rank, first = len(shape), shape[0] if shape else 0
    found = [[".unsqueeze(0)"]]
    if rank > 1:
        found += [[".transpose(0, 1)"], [reversed_axes(rank)]]
    if first > 1:
        found += [halves(first), ["[::2]", "[1::2]"]]
    if places := selects(first):
        found.append(places)
    return found


# --- writes -----------------------------------------------------------------------------------------------------------

UPDATE = "update"
"""The operator name in forms that write an input."""

_BITS = {
    "float16": "int16", "bfloat16": "int16", "float32": "int32", "float64": "int64",
    "int16": "float16", "int32": "float32", "int64": "float64", "uint8": "int8", "int8": "uint8", "bool": "uint8",
    "uint16": "int16", "uint32": "int32", "uint64": "int64", "float8e4m3fn": "uint8", "float8e5m2": "int8",
}  # fmt: skip
"""Another element type of the same width, as which a tensor's memory can be viewed."""

_METHODS = """
    abs acos acosh add addbmm addcdiv addcmul addmm addmv addr asin asinh atan atan2 atanh baddbmm bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil clamp clamp_max clamp_min clip
    conj_physical copysign cos cosh cumprod cumsum deg2rad digamma div erf erfc erfinv exp exp2 expm1 fill floor
    floor_divide fmod frac hypot index_add index_copy index_fill index_put lerp lgamma log log10 log1p log2 logical_and
    logical_not logical_or logical_xor logit masked_fill masked_scatter mul nan_to_num neg pow reciprocal relu remainder
    round rsqrt scatter scatter_add scatter_reduce sigmoid sign sin sinc sinh sqrt square sub tan tanh tril triu
    true_divide trunc xlogy
"""
_IN_PLACE = frozenset(_METHODS.split())
"""Methods of a tensor that overwrite it if an underscore follows their name, with the same arguments."""

_FUNCTIONS = """
    abs acos add amax amin asin atan atan2 bitwise_and bitwise_or bitwise_xor bmm cat ceil clamp copysign cos cosh
    cumprod cumsum div erf exp exp2 expm1 floor floor_divide fmax fmin fmod gather hypot index_select log log10 log1p
    log2 logaddexp logical_and logical_not logical_or logical_xor logsumexp matmul maximum mean minimum mm mul neg pow
    prod reciprocal remainder round rsqrt sigmoid sign sin sinh sqrt square stack sub sum tan tanh trunc xlogy
"""
_OUT = frozenset(_FUNCTIONS.split())
"""Functions that accept ``out=``. (Uncompiled ``tril`` and ``triu`` write beyond a result with gaps.)"""

_BINARY = {
    ast.Add: ("add_", "+="), ast.Sub: ("sub_", "-="), ast.Mult: ("mul_", "*="), ast.Div: ("div_", "/="),
    ast.FloorDiv: ("floor_divide_", "//="), ast.Mod: ("remainder_", "%="), ast.Pow: ("pow_", "**="),
    ast.BitAnd: ("bitwise_and_", "&="), ast.BitOr: ("bitwise_or_", "|="), ast.BitXor: ("bitwise_xor_", "^="),
    ast.LShift: ("bitwise_left_shift_", "<<="), ast.RShift: ("bitwise_right_shift_", ">>="),
}  # fmt: skip
"""The method and the assignment that write the result of a Python operator over its first operand."""

_UNARY = {ast.USub: "neg_", ast.Invert: "bitwise_not_"}

_PLACES = (["dim", "index"], ["dim", "start", "end", "step"])
"""The attributes that say where an operator puts its second operand, for those that need no other way to write it."""

_PLAIN = 4
"""The weight of ``copy_`` relative to each other form."""

_AUGMENTED = 0.4
"""How often an assignment such as ``+=`` replaces a method, if there is one."""

FORMS = (
    *("copy_", "x[...] =", "x[:] =", "fill_", "zero_", "transpose", "permute", "unsqueeze", "halves", "every second"),
    *("narrow", "select", "view(-1)", "as_strided", "view(dtype)", "diagonal", "index_put_", "index_copy_"),
    *("scatter_", "masked_scatter_", "masked_fill_", "out=", "by its operator", "into a part", "a view taken before"),
)
"""The forms of UPDATE."""

Statements = Sequence[str]


def whole(x: str, value: str, t: TensorType, contiguous: bool, draws: Draws) -> tuple[str, Statements]:
    """Return the name of a form, and its statements, which write ``value`` into ``x``; both have the type ``t``."""
    options = [*_whole(x, value, t, contiguous)]
    if t.dtype not in dtypes.WIDER_UNSIGNED:  # Torch has few kernels for these
        options += _by_places(x, value, t)
    return draws.weighted(options, [_PLAIN, *[1] * (len(options) - 1)])


def filled(x: str, number: str, dtype: str, draws: Draws) -> tuple[str, Statements]:
    """Return the name of a form, and its statements, which write a number into each element of ``x``."""
    forms = [("fill_", [f"{x}.fill_({number})"]), ("x[...] =", [f"{x}[...] = {number}"])]
    if dtype not in dtypes.WIDER_UNSIGNED:
        forms.append(("masked_fill_", [f"{x}.masked_fill_(torch.ones_like({x}, dtype=torch.bool), {number})"]))
    if number in ("0", "0.0", "False"):
        forms.append(("zero_", [f"{x}.zero_()"]))
    return draws.choice(forms)


def _whole(x: str, value: str, t: TensorType, contiguous: bool) -> Iterator[tuple[str, Statements]]:
    def copied(*parts: tuple[str, str]) -> list[str]:
        return [f"{x}{part}.copy_({value}{other})" for part, other in parts]

    def assigned(*parts: str) -> list[str]:
        return [f"{x}{part} = {value}{part}" for part in parts]

    yield "copy_", copied(("", ""))
    yield "x[...] =", [f"{x}[...] = {value}"]
    if t.dtype in _BITS:  # Torch cannot view a conjugated tensor as another type
        bits = f".view(torch.{_BITS[t.dtype]})"
        yield "view(dtype)", copied((bits, bits))
    yield "unsqueeze", copied((".unsqueeze(0)", ".unsqueeze(0)"))
    if contiguous:
        strides = tuple(_strides(t.shape))
        yield "as_strided", copied((f".as_strided({t.shape}, {strides})", ""))
        yield "view(-1)", copied((".view(-1)", ".reshape(-1)"))
    if not t.rank:
        return
    first = t.shape[0]
    yield "x[:] =", [f"{x}[:] = {value}"]
    if first > 1:
        yield "halves", assigned(*halves(first))
        yield "every second", assigned("[::2]", "[1::2]")
        cuts = f".narrow(0, 0, {first // 2})", f".narrow(0, {first // 2}, {first - first // 2})"
        yield "narrow", copied(*((cut, cut) for cut in cuts))
    if one_by_one := selects(first):
        yield "select", copied(*((place, place) for place in one_by_one))
    if t.shape[-1] > 1 and t.rank > 1:
        yield "every second", assigned("[..., 1::2]", "[..., ::2]")
    if t.rank > 1:
        yield "transpose", copied((".transpose(0, 1)",) * 2)
        yield "permute", copied((reversed_axes(t.rank),) * 2)
        yield "diagonal", [*copied(("", "")), *copied((".diagonal()", ".diagonal()"))]


def _by_places(x: str, value: str, t: TensorType) -> Iterator[tuple[str, Statements]]:
    yield "masked_scatter_", [f"{x}.masked_scatter_(torch.ones_like({x}, dtype=torch.bool), {value})"]
    if not t.rank:
        return
    first = t.shape[0]
    places = f"torch.arange({first}, device={x}.device)"
    yield "index_put_", [f"{x}.index_put_(({places},), {value})"]
    yield "index_copy_", [f"{x}.index_copy_(0, {places}, {value})"]
    backwards = f"torch.arange({first - 1}, -1, -1, device={x}.device)"
    yield "index_copy_", [f"{x}.index_copy_(0, {backwards}, {value}.flip(0))"]
    spread = f"{places}.view({(first, *[1] * (t.rank - 1))}).expand({t.shape})"
    yield "scatter_", [f"{x}.scatter_(0, {spread}, {value})"]


def _strides(shape: Sequence[int]) -> list[int]:
    return [*accumulate([*shape[:0:-1]], lambda stride, size: stride * max(size, 1), initial=1)][: len(shape)][::-1]


def over(text: str, x: str, t: TensorType, draws: Draws, splits: bool) -> Statements:
    """Return statements that write an operator's result over ``x``, its first operand; empty if it has no such form.

    ``text`` is the operator's application. With ``splits`` it may be applied through views of ``x``.
    """
    tree = ast.parse(text, mode="eval").body
    method, arguments, assignment = _method(tree, x)
    if not method:
        return ()
    if assignment and draws.chance(_AUGMENTED):
        return [f"{x} {assignment} {arguments}"]
    views = draw(t.shape, bool(arguments), draws) if splits else []
    return [f"{x}{view}.{method}({arguments})" for view in views or ("",)]


def _method(tree: ast.expr, x: str) -> tuple[str, str, str]:
    """Return the method that writes over ``x``, its arguments, and the equal assignment; all "" if there is none."""
    match tree:
        case ast.BinOp(left=ast.Name(id=name), op=op, right=right) if name == x and type(op) in _BINARY:
            method, assignment = _BINARY[type(op)]
            return method, ast.unparse(right), assignment
        case ast.UnaryOp(op=op, operand=ast.Name(id=name)) if name == x and type(op) in _UNARY:
            return _UNARY[type(op)], "", ""
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if name == x and attr in _IN_PLACE:
            return f"{attr}_", _arguments(tree, tree.args), ""
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr), args=[ast.Name(id=name), *rest]):
            if name == x and attr in _IN_PLACE:
                return f"{attr}_", _arguments(tree, rest), ""
    return "", "", ""


def _arguments(call: ast.Call, places: Sequence[ast.expr]) -> str:
    named = [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in call.keywords]
    return ", ".join([*map(ast.unparse, places), *named])


def into(text: str, x: str) -> str:
    """Return the statement that makes a function write its result into ``x``; "" if the expression is no such call.

    Most functions whose first operand is a Python number have no such form.
    """
    match ast.parse(text, mode="eval").body:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr), args=[first, *_]) if attr in _OUT:
            return "" if isinstance(first, ast.Constant | ast.UnaryOp) else f"{text[:-1]}, out={x})"
    return ""


def puts(op: Op | None) -> bool:
    """Return whether an operator puts its second operand into a part of the first, so that ``part`` can write it."""
    return op is not None and op.moves and op.inputs == ("T", "T") and [attr.name for attr in op.attrs] in _PLACES


def part(node: Node, x: str, source: str, t: TensorType, draws: Draws) -> tuple[str, Statements]:
    """Return a form, and the statement by which an operator puts its second operand, ``source``, into a part."""
    attrs: Mapping[str, int] = node.attrs
    one = "index" in attrs
    index = f"{attrs['index']}" if one else f"{attrs['start']}:{attrs['end']}:{attrs['step']}"
    subscript = f"[{':, ' * (attrs['dim'] % t.rank)}{index}]"
    options = [f"{x}{subscript} = {source}", f"{x}{subscript}.copy_({source})"]
    if one:
        options.append(f"{x}.select({attrs['dim']}, {attrs['index']}).copy_({source})")
        options.append(
            f"{x}.index_fill_({attrs['dim']}, torch.tensor([{attrs['index']}], device={x}.device), {source})"
        )
        options = options[:3] if t.rank > 1 else options
    elif attrs["step"] == 1:
        options.append(f"{x}.narrow({attrs['dim']}, {attrs['start']}, {attrs['end'] - attrs['start']}).copy_({source})")
    return "into a part", [draws.choice(options)]
