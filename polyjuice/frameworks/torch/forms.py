"""The forms in which Torch source can write an operator, read off the text.

A form is the callee (``torch.sum``, ``Tensor.sum``, ``F.relu``, ``+``), or the way to pass arguments. Examples are no
``dim``, one or several, ``keepdim``, ``ceil_mode``, padding by name, and a Python number as an operand.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Collection, Iterator
from functools import cache

from polyjuice.frameworks.choosers import Chooser
from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.torch.arguments import is_method, vary
from polyjuice.frameworks.torch.writes import FORMS, UPDATE
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, Call, Op, ShapeMismatch, TypeMismatch, Unsupported, infer

_FLAGS = ("keepdim", "ceil_mode", "stable", "inplace", "align_corners", "recompute_scale_factor")
"""Arguments that are a form if they are true."""

_PRESENT = ("scale_factor",)
"""Arguments that are a form if they are present."""

_NAMED = ("padding", "approximate")
"""Arguments whose value is a form if it is a string."""

_DRAWS, _SIZES = 150, (1, 2, 3, 4, 5)
"""How many applications of an operator are drawn to find its forms, and their sizes."""

_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.USub: "-x", ast.Invert: "~x", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=",
}  # fmt: skip


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
            yield from _of_operands(_SYMBOLS[type(operation)], left, right)
        case ast.UnaryOp(op=operation):
            yield _SYMBOLS[type(operation)]
        case ast.Compare(left=left, ops=[operation], comparators=[right]):
            yield from _of_operands(_SYMBOLS[type(operation)], left, right)
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
    if sample is None or isinstance(op.torch, Unsupported) or any(attr.kind == "graph" for attr in op.attrs):
        return None
    types = [first, *(operand.type for operand in sample.operands)]
    try:
        results = infer(op, types, sample.attrs)
    except (TypeMismatch, ShapeMismatch):
        return None
    names = [f"x{place}" for place in range(len(types))]
    draws = Chooser(lambda subject, value: rng).about("")
    call = Call(names, types, results, sample.attrs, draws, lambda text: "local", lambda statement: None)
    texts = op.torch if isinstance(op.torch, tuple) else op.torch(call)
    text = draws.choice(texts).format(*names) if isinstance(texts, tuple) else texts
    if isinstance(text, Unsupported):
        return None
    tree = ast.parse(text, mode="eval")
    vary(tree, draws)
    return tree
