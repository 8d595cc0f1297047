"""ATen's overloads of arithmetic and comparison that take a Python number beside a tensor.

They follow Torch's rule of promotion: a number decides the kind of the result, never its width. A floating number
promotes integers to float32. An integer keeps every type but bool, and wraps around in it (``int8 + 300`` adds 44). So
each is an operator of the table on the number and on the tensor, cast to the promoted type.

A floating type may lack the number. Torch multiplies and divides by the number itself, in the precision in which half
types are computed. For a sum, a remainder or a comparison, a CPU first rounds it to the tensor's type. A GPU or a
compiled kernel does not. Both are allowed there: the number has an error, as any operand may.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import ALL, FLOATS, INTS, NUMERIC, UNSIGNED
from polyjuice.ops import (
    bitwise,
    comparisons,
    domains,
    elementwise,
    errors,
    numbers,
    sampling,
    selection,
    spec,
    unspecified,
)
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.definitions import completed
from polyjuice.ops.inference import TypeMismatch
from polyjuice.ops.numbers import Number
from polyjuice.ops.pointwise import broadcast_shape
from polyjuice.ops.spec import INFINITY, NAN, PROMOTED, STRICT, Attr, Call, Op, Operand, Sample, Unsupported
from polyjuice.ops.text import HALF_TO_SINGLE, spell

_BASES = {op.name: completed(op) for family in (bitwise, comparisons, elementwise, selection) for op in family.OPS}

Choice = Callable[[random.Random, str], Number | None]
"""Draws a number beside a tensor of an element type; None where none suits."""

Suits = Callable[[Number, str], bool]
"""Whether a number suits a tensor of the promoted type."""


# --- the meaning -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Meaning:
    """An operator of the table with a number for one of its operands.

    ``attr`` is the attribute with the number, and ``place`` the number's place among the operands. ``tensor`` is the
    place, among the other operands, of the tensor that the number is promoted with. ``rounds``: Torch may round the
    number to the tensor's type first. ``floating``: integers become floating numbers in any case. ``negated``: the
    result is the logical opposite of the table's operator. ``accepts``: which numbers Torch takes.
    """

    base: Op
    attr: str = "other"
    place: int = 1
    tensor: int = 0
    rounds: bool = True
    floating: bool = False
    negated: bool = False
    accepts: Suits = lambda number, dtype: True

    def number(self, a: Attrs) -> Number:
        number = numbers.parse(a[self.attr])
        return float(number) if self.floating else number

    def promotes(self, x: Sequence[TensorType], a: Attrs) -> str:
        number = self.number(a)
        dtype = numbers.promoted(x[self.tensor].dtype, number)
        if not self.accepts(number, dtype):
            raise TypeMismatch(f"Torch does not take {a[self.attr]} beside {dtype}")
        return dtype

    def ordered(self, others: Sequence[np.ndarray], number: np.ndarray) -> list[np.ndarray]:
        return [*others[: self.place], number, *others[self.place :]]

    def operands(self, x: Sequence[np.ndarray], a: Attrs) -> list[np.ndarray]:
        """All operands in the type of the reference values, or of the interpreter's computation."""
        number, others, tensor = self.number(a), list(x), x[self.tensor]
        dtype = numbers.promoted(dtypes.dtype_of(tensor), number)
        # float64 holds products and sums of float32 before the result is rounded
        wide = np.float64 if tensor.dtype.kind != "f" and dtypes.is_float(dtype) else dtypes.to_numpy(dtype)
        others[self.tensor] = tensor.astype(dtypes.to_numpy(dtype)).astype(wide)
        return self.ordered(others, numbers.element(number, dtype).astype(wide))

    def numpy(self, x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        result = np.asarray(self.base.numpy(self.operands(x, a), {}))
        return np.logical_not(result) if self.negated else result

    def error(self, c: spec.ErrorContext) -> Any:
        return self.base.error(self.context(c))

    def context(self, c: spec.ErrorContext) -> spec.ErrorContext:
        """The context for the error rule of the table's operator, which only has tensors."""
        e = self.ordered(c.e, np.asarray(self.off(c)))
        return c._replace(x=self.operands(c.x, c.attrs), e=e, attrs={}, numpy=self.base.numpy)

    def off(self, c: spec.ErrorContext) -> float:
        """The largest error of the number. Beside integers, it is of float32, and an evaluation may have another."""
        number = self.number(c.attrs)
        if c.x[self.tensor].dtype.kind != "f":
            if isinstance(number, int):
                return 0.0
            held = float(numbers.element(number, numbers.FLOATING))
            if not np.isfinite(held) and INFINITY not in self.base.limits:
                return np.inf
            if c.held == "float64":
                return numbers.distance(number, numbers.FLOATING)
            return numbers.distance(held, c.held) if dtypes.is_float(c.held) else 0.0
        if not dtypes.is_float(c.held):  # of a comparison: the tensor may be of any type
            steps = [numbers.distance(number, dtype) for dtype in FLOATS]
            return max(step for step in steps if np.isfinite(step))
        return numbers.distance(number, c.held if self.rounds else HALF_TO_SINGLE.get(c.held, c.held))

    def integer_exact_with(self, a: Attrs, dtype: str) -> bool:
        """Whether a floating type holds the number exactly, as operands of exact results must be."""
        number = self.number(a)
        if not dtypes.is_float(dtype):
            return True
        return numbers.distance(number, dtype) == 0 and abs(number) <= dtypes.exact_integers(dtype)[1]

    def disputed(self, c: spec.ErrorContext) -> np.ndarray:
        """The mask of results beside infinities on which types disagree.

        They do where a type has an infinity or zero for the number, or rounds a result.
        """
        disputed = self.base.disputed(self.context(c)) if self.base.disputed else np.zeros(c.y[0].shape, bool)
        number, x, y = self.number(c.attrs), np.asarray(c.x[self.tensor], np.float64), c.y[0]
        floating = dtypes.is_float(c.held)
        for dtype in (c.held, HALF_TO_SINGLE.get(c.held, c.held)) if floating else FLOATS:
            if not numbers.in_range(number, dtype) or numbers.vanishes(number, dtype):
                disputed = disputed | ~np.isfinite(x)
        if floating and self.off(c):
            disputed = disputed | ~np.isfinite(x) & np.isfinite(y)
        return np.asarray(disputed)


def _definition(meaning: _Meaning) -> spec.DecomposeFn:
    """The operator on tensors in the type in which Torch computes, cast to the result's type."""
    base = meaning.base

    def build(b: spec.Builder, x: Sequence[str], a: Attrs) -> str | Unsupported:
        dtype = b.types[x[meaning.tensor]].dtype
        promoted = numbers.promoted(dtype, meaning.number(a))
        computed = HALF_TO_SINGLE.get(promoted, promoted)
        if not base.accepts(meaning.place, computed):
            return Unsupported(f"{base.name} takes no integers")
        operands = [Term(b, name) for name in x]
        operands[meaning.tensor] = operands[meaning.tensor].to(computed)
        operands.insert(meaning.place, operands[0].constant(numbers.element(meaning.number(a), computed)))
        result = operands[0].then(base.name, *operands[1:], domain=base.domain)
        result = result.then("Not") if meaning.negated else result
        return result.to(promoted).name if result.dtype == computed else result.name

    return build


def _floating(number: Number, dtype: str) -> bool:
    """Torch refuses the others beside integers, which may be zero or negative."""
    return dtypes.is_float(dtype)


def _whole(number: Number, dtype: str) -> bool:
    """Only integers have bits."""
    return isinstance(number, int)


# --- the numbers that are drawn --------------------------------------------------------------------------------------

_WHOLE = (1, 2, 3, -1, 7, 10, 0)
_FRACTIONS = (0.5, 0.1, 1.7, 3.14, -1.7, 2.0, 1.0, 1 / 3, 2.5, -0.3)
_BITING_WHOLE = (100, 127, 128, 129, 255, 256, 257, 300, -129, 2**15, 2**16, 2**24 + 1, 2**31 - 1, 2**31, 2**32 + 1)
_BITING_FLOATS = (1e300, 1e-300, 16777217.0, 2.0**31, 65520.0, 1e5, 1e-8, 257.0, 2.0**53 + 2, 0.0, 1e38)

_BITES, _FLOATING = 0.4, 0.5
"""How often a number is one that some type lacks, and how often it is a floating one beside integers."""


def _any(rng: random.Random, dtype: str) -> Number:
    """A number of either kind, perhaps one that the type lacks."""
    floating = rng.random() < (0.8 if dtype in FLOATS else _FLOATING)
    if rng.random() >= _BITES:
        return rng.choice(_FRACTIONS) if floating else rng.choice(_WHOLE)
    if floating:
        return rng.choice(_BITING_FLOATS)
    ends = numbers.boundaries(dtype if dtype in INTS else numbers.INTEGERS)
    return rng.choice(_BITING_WHOLE if rng.random() < 0.5 else ends)


def _suiting(suits: Suits) -> Choice:
    """Numbers that Torch accepts in the promoted type of the tensor."""

    def choose(rng: random.Random, dtype: str) -> Number | None:
        drawn = (_any(rng, dtype) for _ in range(20))
        return next((number for number in drawn if suits(number, numbers.promoted(dtype, number))), None)

    return choose


def _divides(number: Number, dtype: str) -> bool:
    """Whether a number is neither zero, perhaps after wrapping, nor -1: the least integer has no quotient by -1."""
    if dtypes.is_float(dtype):
        return number != 0
    wrapped = int(numbers.element(number, dtype))
    return wrapped != 0 and (wrapped != -1 or dtype in UNSIGNED)


_MODERATE = 1e30
"""The magnitude beyond which a factor lets nearly every product leave the range of float32."""


def _one_of(both: Sequence[Number], floating: Sequence[Number], whole: Sequence[Number] = ()) -> Choice:
    """Numbers beside all types, and some that only suit floating ones or integers."""
    return lambda rng, dtype: rng.choice((*both, *(floating if dtype in FLOATS else whole)))


def _pattern(rng: random.Random, dtype: str) -> Number:
    return rng.choice((*_WHOLE, *_BITING_WHOLE, *numbers.boundaries(numbers.INTEGERS)))


def _distance(rng: random.Random, dtype: str) -> Number:
    bits = 8 * dtypes.to_numpy(numbers.promoted(dtype, 0)).itemsize
    return rng.choice((1, 2, 3, rng.randrange(bits), bits - 1))


# --- entries ---------------------------------------------------------------------------------------------------------


def _spelled(meaning: _Meaning, *templates: str) -> Any:
    """Templates with ``{n}`` for the number, ``{m}`` for it as an operand, and ``{z}`` for a tensor of rank 0.

    Beside a number, 0 and 1 may be truth values, too, except for ``Sub``, which Torch does not compute on them.
    """

    def spell(c: Call) -> tuple[str, ...]:
        x, number = c.types[meaning.tensor], numbers.parse(c.attrs[meaning.attr])
        text = numbers.python(c.attrs[meaning.attr])
        operand = f"({text})" if text.startswith("-") else text
        truth = isinstance(number, int) and number in (0, 1) and x.dtype != "bool" and meaning.base.name != "Sub"
        writings = [(text, operand), (str(bool(number)), str(bool(number)))] if truth else [(text, operand)]
        zeros = [f"torch.tensor({text}, dtype=torch.{t})" for t in _types_of_rank_0(x, number, truth=truth)]
        kept = x.dtype == c.results[0].dtype
        return tuple(
            template.replace("{n}", n).replace("{m}", m).replace("{z}", zero)
            for template in templates
            if kept or "_(" not in template
            for zero in (zeros if "{z}" in template else ("",))
            for n, m in (writings if "{z}" not in template else writings[:1])
        )

    return spell


def _types_of_rank_0(x: TensorType, number: Number, *, truth: bool) -> list[str]:
    """The types in which a tensor of rank 0 with this value acts like the number.

    With ``truth``, bool is one of them.
    """
    if not x.rank:
        return []
    if isinstance(number, int):
        fitting = [*(["bool"] if truth else []), *(t for t in INTS if numbers.in_range(number, t))]
        return fitting if x.dtype != "bool" else [numbers.INTEGERS]
    if x.dtype not in FLOATS:
        return [numbers.FLOATING]
    single = ["float32"] if x.dtype != "float64" and numbers.single(number) else []
    return ["float64", *single, *(t for t in FLOATS if numbers.held(number, t) and t not in ("float64", *single))]


def _entry(
    name: str,
    meaning: _Meaning,
    choose: Choice,
    types: tuple[str, ...],
    templates: Sequence[str],
    result: str = PROMOTED,
    **more: Any,
) -> Op:
    """The entry of an operator on a tensor and a number, from the table's operator on two tensors."""
    base = meaning.base

    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        number = choose(rng, first.dtype)
        return None if number is None else Sample((), {meaning.attr: numbers.text(number)})

    settings: dict[str, Any] = {
        "inputs": ("B", "T") if meaning.tensor else ("T",),
        "types": {"T": types, **({"B": ("bool",)} if meaning.tensor else {})},
        "sample": sample,
        **{field: getattr(base, field) for field in ("integer_exact", "modular", "continuous", "ulps", "limits")},
        **{
            field: getattr(meaning, field) for field in ("integer_exact_with", "promotes", "disputed", "error", "numpy")
        },
        **more,
    }
    return Op(
        name=name,
        results=(result,),
        shape=broadcast_shape,
        text=spell(_spelled(meaning, *templates)),
        definition=_definition(meaning),
        attrs=(Attr(meaning.attr, "string"),),
        why_not_derived="it is that of the operator on tensors, and frameworks may round the number or not",
        elementwise=True,
        **settings,
    )


def _between(symbol: str, word: str) -> tuple[str, ...]:
    return (
        f"{{0}} {symbol} {{m}}",
        f"torch.{word}({{0}}, {{n}})",
        f"{{0}}.{word}({{n}})",
        f"{{0}} {symbol} {{z}}",
        f"torch.{word}({{0}}, {{z}})",
        f"{{0}}.{word}_({{n}})",
    )


def _commutes(symbol: str, word: str) -> tuple[str, ...]:
    return (*_between(symbol, word), f"{{m}} {symbol} {{0}}", f"{{z}} {symbol} {{0}}")


def _compared(word: str, base: str, symbol: str, mirrored: str, negated: bool = False) -> Op:
    templates = (*_between(symbol, word)[:-1], f"{{m}} {mirrored} {{0}}")
    meaning = _Meaning(_BASES[base], negated=negated)
    return _entry(f"{word}.Scalar", meaning, _any, ALL, templates, "bool")


def _power_error(c: spec.ErrorContext) -> Any:
    """The bound for powers; powers of integers are taken modulo 2^n."""
    if c.y[0].dtype.kind in "iu":
        return errors.infinite_if(errors.added(c) > 0, errors.none(c))
    return _BASES["Pow"].error(c)


_POWER = replace(_BASES["Pow"], error=_power_error, types={"T": FLOATS})
"""Without integers, whose large powers ONNX leaves open."""


def _extreme(word: str, base: str) -> Op:
    side = word.split("_")[1]
    meaning = _Meaning(_BASES[base], side, accepts=numbers.in_range)
    templates = (
        f"torch.clamp({{0}}, {side}={{n}})",
        f"{{0}}.{word}({{n}})",
        f"torch.clip({{0}}, {side}={{n}})",
        f"torch.{word}({{0}}, {{n}})",
        f"{{0}}.{word}_({{n}})",
    )
    return _entry(f"{word}.default", meaning, _suiting(numbers.in_range), ALL, templates)


def _chosen(name: str, attr: str, place: int, *templates: str) -> Op:
    draw = _suiting(numbers.in_range)

    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        other = TensorType(sampling.element_type(rng, ALL), sampling.broadcastable(rng, first.shape))
        number = draw(rng, other.dtype)
        return None if number is None else Sample((Operand(other),), {attr: numbers.text(number)})

    meaning = _Meaning(_BASES["Where"], attr, place, tensor=1, accepts=numbers.in_range)
    return _entry(name, meaning, draw, ALL, templates, sample=sample)


OPS = (
    _entry("add.Scalar", _Meaning(_BASES["Add"]), _any, ALL, (*_commutes("+", "add"), "{0}.add_({z})")),
    _entry("sub.Scalar", _Meaning(_BASES["Sub"]), _any, NUMERIC, _between("-", "sub")),
    _entry(
        "rsub.Scalar",
        _Meaning(_BASES["Sub"], place=0),
        _any,
        NUMERIC,
        ("{m} - {0}", "torch.rsub({0}, {n})", "{z} - {0}"),
    ),
    _entry(
        "mul.Scalar",
        _Meaning(_BASES["Mul"], rounds=False),
        _suiting(lambda number, dtype: abs(number) < _MODERATE),
        ALL,
        (*_commutes("*", "mul"), "{0}.mul_({z})"),
    ),
    _entry(
        "floor_divide.Scalar",
        _Meaning(_BASES["floor_divide"], rounds=False),
        _suiting(_divides),
        ALL,
        (
            "{0} // {m}",
            "torch.floor_divide({0}, {n})",
            "torch.div({0}, {n}, rounding_mode='floor')",
            "{0}.floor_divide({n})",
            "{0} // {z}",
        ),
    ),
    _entry("remainder.Scalar", _Meaning(_BASES["remainder"]), _suiting(_divides), ALL, _between("%", "remainder")),
    _entry(
        "fmod.Scalar",
        _Meaning(_BASES["fmod"]),
        _suiting(_divides),
        ALL,
        ("torch.fmod({0}, {n})", "{0}.fmod({n})", "torch.fmod({0}, {z})", "{0}.fmod_({n})"),
    ),
    _entry(
        "pow.Tensor_Scalar",
        _Meaning(_POWER, "exponent", accepts=numbers.in_range),
        _one_of((2, 3, 1, 0, 2.0, 0.5, 3.0, 1.5), (-1, -0.5, -2), (4, 7)),
        NUMERIC,
        ("{0} ** {m}", "torch.pow({0}, {n})", "{0}.pow({n})", "{0}.pow_({n})"),
        modular=False,
        limits=NAN | STRICT,  # some powers are roots, which give another sign to zero
        distance_to_domain=domains.within(0, 0.0),
        unsettled=unspecified.root(0),
    ),
    _entry(
        "pow.Scalar",
        _Meaning(_POWER, "self", 0, accepts=_floating),
        _one_of((2.0, 0.5, 1.7, 10.0, 3.14), (2, 10)),
        NUMERIC,
        ("{m} ** {0}", "torch.pow({n}, {0})"),
        overflows=True,
    ),
    _entry(
        "div.Scalar",
        _Meaning(_BASES["Div"], rounds=False, floating=True),
        _suiting(lambda number, dtype: abs(number) > 1 / _MODERATE),
        ALL,
        (*_between("/", "div"), "torch.true_divide({0}, {n})"),
    ),
    _entry(
        "remainder.Scalar_Tensor",
        _Meaning(_BASES["remainder"], "self", 0, accepts=_floating),
        _suiting(_floating),
        NUMERIC,
        ("torch.remainder({n}, {0})", "{m} % {0}"),
        distance_to_domain=domains.nonzero(0),
    ),
    _compared("eq", "Equal", "==", "=="),
    _compared("ne", "Equal", "!=", "!=", negated=True),
    _compared("lt", "Less", "<", ">"),
    _compared("le", "LessOrEqual", "<=", ">="),
    _compared("gt", "Greater", ">", "<"),
    _compared("ge", "GreaterOrEqual", ">=", "<="),
    _extreme("clamp_min", "Max"),
    _extreme("clamp_max", "Min"),
    _chosen("where.ScalarOther", "other", 2, "torch.where({0}, {1}, {n})", "{1}.where({0}, {n})"),
    _chosen("where.ScalarSelf", "self", 1, "torch.where({0}, {n}, {1})"),
    *(
        _entry(name, _Meaning(_BASES[base], accepts=_whole), _pattern, (*INTS, "bool"), texts, modular=True)
        for name, base, texts in (
            ("bitwise_and.Scalar", "BitwiseAnd", _commutes("&", "bitwise_and")),
            ("bitwise_or.Scalar", "BitwiseOr", _commutes("|", "bitwise_or")),
            ("bitwise_xor.Scalar", "BitwiseXor", _commutes("^", "bitwise_xor")),
        )
    ),
    *(
        _entry(f"{word}.Tensor_Scalar", _Meaning(_BASES[word], accepts=_whole), _distance, INTS, texts)
        for word, texts in (
            ("bitwise_left_shift", _between("<<", "bitwise_left_shift")),
            ("bitwise_right_shift", _between(">>", "bitwise_right_shift")),
        )
    ),
)
