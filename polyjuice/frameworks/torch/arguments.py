"""Vary the arguments of Torch calls as people do: by name or place, without defaults, one number for equal ones.

The templates of the operator table write all arguments in full. Compilers see the difference: Dynamo binds arguments,
decompositions have their own defaults, and a number and a list select different overloads.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polyjuice.frameworks.choosers import Draws

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
