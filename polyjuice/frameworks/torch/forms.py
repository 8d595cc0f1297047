"""The forms in which Torch source can write an operator: arguments are varied as people do, forms read off the text.

The templates of the operator table write all arguments in full. Compilers see the difference: Dynamo binds arguments,
decompositions have their own defaults, and a number and a list select different overloads. A form is the callee
(``torch.sum``, ``Tensor.sum``, ``F.relu``, ``+``), or the way to pass arguments. Examples are no ``dim``, one or
several, ``keepdim``, ``ceil_mode``, padding by name, and a Python number as an operand.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from polyjuice.frameworks.choosers import Chooser, Draws
from polyjuice.frameworks.expressions import SYMBOLS
from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.torch.writes import FORMS, UPDATE
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, Call, Op, ShapeMismatch, TypeMismatch, Unsupported, infer
from polyjuice.ops.text import filled

# --- arguments --------------------------------------------------------------------------------------------------------

# Chances, for each argument that can be written this way.
_DEFAULT = 0.5
_ONE_NUMBER = 0.5
_LIST = 0.2
_BY_PLACE = 0.5
_BY_NAME = 0.2

_DEFAULTS: Mapping[str, Any] = {
    "keepdim": False, "descending": False, "stable": False, "largest": True, "sorted": True, "ceil_mode": False,
    "count_include_pad": True, "groups": 1, "diagonal": 0, "correction": 1, "unbiased": True, "approximate": "none",
    "is_causal": False, "dropout_p": 0.0, "attn_mask": None, "inplace": False, "bias": None, "dilation": 1,
    "padding": 0, "output_padding": 0,
}  # fmt: skip
"""The defaults of arguments, which all functions with such an argument share."""

_OF_FUNCTIONS: Mapping[tuple[str, str], Any] = {
    **{(name, "dim"): -1 for name in ("sort", "argsort", "topk", "kthvalue")},
    **{(name, "dim"): 0 for name in ("cat", "concat", "stack", "split", "chunk", "unbind")},
    **{(f"{name}{rank}d", "stride"): 1 for name in ("conv", "conv_transpose") for rank in (1, 2, 3)},
    **{(name, "mode"): "nearest" for name in ("interpolate", "Upsample")},
    **{(name, "align_corners"): False for name in ("interpolate", "Upsample")},
}
"""Further defaults, by the function's name and the argument's."""

_POOLS = frozenset(["max_pool2d_with_indices", *(f"{kind}_pool{r}d" for kind in ("max", "avg") for r in (1, 2, 3))])

_DIM_AND_KEEPDIM = (
    *("sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "max", "min"),
    *("median", "any", "all", "logsumexp", "nansum"),
)
_DIM = ("softmax", "log_softmax", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "unbind")
_CONV = ("input", "weight", "bias", "stride", "padding")
_POOL = ("input", "kernel_size", "stride", "padding")
_RANKS = (1, 2, 3)

_ORDER: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(_DIM_AND_KEEPDIM, ("input", "dim", "keepdim")),
    **dict.fromkeys(_DIM, ("input", "dim")),
    **dict.fromkeys(("cat", "concat", "stack"), ("tensors", "dim")),
    **dict.fromkeys(("tril", "triu"), ("input", "diagonal")),
    **{f"conv{r}d": (*_CONV, "dilation", "groups") for r in _RANKS},
    **{f"conv_transpose{r}d": (*_CONV, "output_padding", "groups", "dilation") for r in _RANKS},
    **{f"max_pool{r}d": (*_POOL, "dilation", "ceil_mode") for r in _RANKS},
    "max_pool2d_with_indices": (*_POOL, "dilation", "ceil_mode"),
    **{f"avg_pool{r}d": (*_POOL, "ceil_mode") for r in _RANKS},
    "kthvalue": ("input", "k", "dim", "keepdim"),
    "topk": ("input", "k", "dim", "largest", "sorted"),
    **dict.fromkeys(("sort", "argsort"), ("input", "dim", "descending")),
    "chunk": ("input", "chunks", "dim"),
    "repeat_interleave": ("input", "repeats", "dim"),
    "norm": ("input", "p", "dim", "keepdim"),
}
"""The names of a function's arguments, in order. A method lacks the first."""

_ONE_OR_MANY = frozenset(["kernel_size", "stride", "padding", "dilation", "output_padding", "size", "scale_factor"])
"""Arguments that take one number for all spatial axes."""

_ONE_DIM = frozenset(
    (
        *("sum", "mean", "amax", "amin", "logsumexp", "nansum"),
        *("var", "std", "var_mean", "norm", "vector_norm", "count_nonzero"),
    )
)
"""Functions of several dimensions that accept a single number."""

_LIBRARIES = frozenset(["torch", "F"])


def vary(tree: ast.Expression, draws: Draws) -> bool:
    """Write the arguments of an expression's calls in another way; return whether anything changed."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    changes = [change for call in calls for change in _changes(call, draws)]  # all, before ``any``
    return any(changes)


def is_method(call: ast.Call) -> bool:
    """Return whether a call is a tensor's method rather than a library function."""
    function = call.func
    while isinstance(function, ast.Attribute):
        function = function.value
    return not (isinstance(function, ast.Name) and function.id in _LIBRARIES)


def _changes(call: ast.Call, draws: Draws) -> Iterator[bool]:
    assert isinstance(call.func, ast.Attribute)
    name = call.func.attr
    for keyword in list(call.keywords):
        if _is_default(call, name, keyword) and draws.chance(_DEFAULT, plain=True):
            call.keywords.remove(keyword)
            yield True
    order = _ORDER.get(name, ())[is_method(call) :]
    for place, argument in enumerate(call.args):
        if place < len(order) and order[place] in _ONE_OR_MANY:
            call.args[place] = _numbers(argument, draws, True)
            yield call.args[place] is not argument
    for keyword in call.keywords:
        if keyword.arg in _ONE_OR_MANY or (keyword.arg == "dim" and isinstance(keyword.value, ast.Tuple)):
            before = keyword.value
            keyword.value = _numbers(before, draws, keyword.arg != "dim" or name in _ONE_DIM)
            yield keyword.value is not before
    yield from _places(call, order, draws)


def _is_default(call: ast.Call, name: str, keyword: ast.keyword) -> bool:
    value, argument = _constant(keyword.value), keyword.arg or ""
    if name in _POOLS and argument == "stride":
        return len(call.args) > 1 - is_method(call) and value is not _NO and value == _constant(call.args[1])
    default = _OF_FUNCTIONS.get((name, argument), _DEFAULTS.get(argument, _NO))
    if isinstance(value, tuple):
        return bool(value) and all(type(v) is type(default) and v == default for v in value)
    return value is not _NO and type(value) is type(default) and value == default


def _numbers(value: ast.expr, draws: Draws, one: bool) -> ast.expr:
    """Return a tuple of numbers as one number, if they are equal and ``one`` allows it, or as a list, or unchanged."""
    ways = [value]
    if isinstance(value, ast.Tuple) and value.elts:
        ways.append(ast.List(value.elts, ast.Load()))
        numbers = _constant(value)
        if one and numbers is not _NO and len(set(numbers)) == 1:
            ways.append(value.elts[0])

    def drawn(rng: random.Random) -> int:
        chance = rng.random()
        return 2 if len(ways) > 2 and chance < _ONE_NUMBER else int(len(ways) > 1 and chance > 1 - _LIST)

    return ways[draws.take(drawn, len(ways))]


def _places(call: ast.Call, order: Sequence[str], draws: Draws) -> Iterator[bool]:
    """Turn keywords into arguments by place as far as the order allows, or the other way round."""
    keywords = {keyword.arg: keyword for keyword in call.keywords}
    if "stable" in keywords:  # "stable" makes the others keyword-only
        return
    while len(call.args) < len(order) and order[len(call.args)] in keywords and draws.chance(_BY_PLACE):
        keyword = keywords.pop(order[len(call.args)])
        call.keywords.remove(keyword)
        call.args.append(keyword.value)
        yield True
    while call.args and len(call.args) <= len(order) and draws.chance(_BY_NAME):
        last = call.args[-1]
        if _constant(last) is _NO or isinstance(last, ast.Starred):
            return
        call.keywords.insert(0, ast.keyword(order[len(call.args) - 1], call.args.pop()))
        yield True


_NO = object()
"""The value of an expression that is not constant."""


def _constant(value: ast.expr) -> Any:
    """Return the value of a number, a string, None or a tuple of these; _NO for other expressions."""
    try:
        return ast.literal_eval(value)
    except ValueError:
        return _NO


# --- forms ------------------------------------------------------------------------------------------------------------

_FLAGS = ("keepdim", "ceil_mode", "stable", "inplace", "align_corners", "recompute_scale_factor")
"""Arguments that are a form if they are true."""

_PRESENT = ("scale_factor",)
"""Arguments that are a form if they are present."""

_NAMED = ("padding", "approximate")
"""Arguments whose value is a form if it is a string."""

_DRAWS, _SIZES = 150, (1, 2, 3, 4, 5)
"""How many applications of an operator are drawn to find its forms, and their sizes."""


def forms(tree: ast.Expression) -> list[str]:
    """Return the forms of an expression: those of its last operation."""
    return list(dict.fromkeys(_forms(tree.body)))


def _forms(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Attribute() as function):
            yield f"Tensor.{function.attr}" if is_method(node) else ast.unparse(function)
            yield from _of_arguments(node)
        case ast.Call(func=ast.Call(func=module)):
            yield ast.unparse(module)
        case ast.Call(func=ast.Name(id=name)):
            yield name
        case ast.Attribute(value=ast.Name(id="self")):
            return
        case ast.Attribute(attr=name):
            yield f".{name}"
            yield from _forms(node.value)
        case ast.Subscript(value=ast.Name() | ast.Attribute()):
            yield "[...]"
        case ast.Subscript(value=inner):
            yield from _forms(inner)
        case ast.BinOp(left=left, op=operation, right=right):
            yield from _of_operands(SYMBOLS[type(operation)], left, right)
        case ast.UnaryOp(op=operation):
            yield SYMBOLS[type(operation)]
        case ast.Compare(left=left, ops=[operation], comparators=[right]):
            yield from _of_operands(SYMBOLS[type(operation)], left, right)
        case ast.Name(id=name) if name.startswith("local"):
            yield "written part by part"


def _of_operands(symbol: str, left: ast.expr, right: ast.expr) -> Iterator[str]:
    yield symbol
    if _is_number(right):
        yield "a number on the right"
    if _is_number(left):
        yield "a number on the left"


def _is_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _of_arguments(call: ast.Call) -> Iterator[str]:
    keywords = {keyword.arg or "": keyword.value for keyword in call.keywords}
    for name, value in keywords.items():
        if name in _FLAGS and isinstance(value, ast.Constant) and value.value is True:
            yield name
        if name in _PRESENT:
            yield name
        if name in _NAMED and isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield f"{name}={value.value!r}"
        if name == "dim":
            yield "one dim" if _is_number(value) else "several dims"
    if len(call.args) + len(keywords) == 1 - is_method(call):
        yield "no argument"
    elif not keywords and len(call.args) > 1 and not isinstance(call.args[-1], (ast.Name, ast.Attribute, ast.Call)):
        yield "arguments by place"


class Declared(Collection[Form]):
    """The forms of random applications, each written in many ways. They are found at the first access."""

    def __contains__(self, form: object) -> bool:
        return form in _declared()

    def __iter__(self) -> Iterator[Form]:
        return iter(_declared())

    def __len__(self) -> int:
        return len(_declared())


DECLARED = Declared()
"""The forms of Torch programs."""


@cache
def _declared() -> frozenset[Form]:
    found: set[Form] = {(UPDATE, form) for form in FORMS}
    for op in TABLE.values():
        for number in range(_DRAWS):
            tree = _drawn(op, random.Random(f"{op.qualified} {number}"))
            found.update((op.qualified, form) for form in (forms(tree) if tree else ()))
    return frozenset(found)


def _drawn(op: Op, rng: random.Random) -> ast.Expression | None:
    """Return an application of an operator; None if the drawn types do not suit it, or Torch cannot express it."""
    first = TensorType(rng.choice(op.types[op.variable(0)]), tuple(rng.choices(_SIZES, k=rng.randrange(5))))
    sample = op.sample(rng, first)
    if sample is None or isinstance(op.texts("torch"), Unsupported) or any(attr.kind == "graph" for attr in op.attrs):
        return None
    types = [first, *(operand.type for operand in sample.operands)]
    try:
        results = infer(op, types, sample.attrs)
    except (TypeMismatch, ShapeMismatch):
        return None
    names = [f"x{place}" for place in range(len(types))]
    draws = Chooser(lambda subject, value: rng).about("")
    call = Call(names, types, results, sample.attrs, draws, lambda text: "local", lambda statement: None)
    text: str | Unsupported = filled(call, op.texts("torch"))
    if isinstance(text, Unsupported):
        return None
    tree = ast.parse(text, mode="eval")
    vary(tree, draws)
    return tree
