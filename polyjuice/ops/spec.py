"""The form of an entry of the operator table, with everything that the project knows about an operator.

Type inference, the interpreter, the egglog constructors and shape rules, the generator's sampling, the error bounds and
the lowerings all read these entries. To add an operator is to add one :class:`Op`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from polyjuice.ir import Attrs, Graph, TensorType, dtypes
from polyjuice.ops.shapes import Dims

ANY = "*"
"""A type variable whose occurrences may be of different types."""

PROMOTED = "promoted"
"""An entry of ``Op.results``: the type that ``Op.promotes`` returns."""

RESULT = "@result"
"""The attribute that a ``typed`` operator's meaning gets in addition: the element type of its first result."""

REQUIRED = object()
"""The default of an attribute that must be given."""


@dataclass(frozen=True)
class Attr:
    """An attribute: its name, kind, ONNX default, and where ONNX keeps it when it is not an attribute.

    ``kind`` is one of ``int``, ``ints``, ``float``, ``floats`` (of single precision), ``string``, ``dtype`` and
    ``graph``. With ``as_input`` ONNX (at opset 18) passes it as a constant input after the operands, in the order of
    the entry's list. ``scalar``: this input has rank 0. ``like_operand``: its type is the first operand's. ``place``:
    its number among ONNX's inputs, if it comes before some operands.
    """

    name: str
    kind: str
    default: Any = REQUIRED
    as_input: bool = False
    scalar: bool = False
    like_operand: bool = False
    place: int | None = None


@dataclass(frozen=True)
class Operand:
    """An operand that the generator has to find or make: its type, and a range of values if it must be constant.

    Along the axis ``distinct_along`` no value may occur twice (indices of elements that are written).
    """

    type: TensorType
    values: tuple[int, int] | None = None
    distinct_along: int | None = None


@dataclass(frozen=True)
class Sample:
    """One way to apply an operator to a given first operand: the further operands and the attributes."""

    operands: tuple[Operand, ...] = ()
    attrs: Attrs = field(default_factory=dict)


class ErrorContext(NamedTuple):
    """The arguments of an error rule for one application. All arrays are float64 (integers and booleans as they are).

    ``x`` and ``e``: the operands' reference values and bounds on their absolute errors. ``y``: the results' reference
    values. ``unit``: the unit roundoff of the result's type. It is 0 for other than floating types, and if ``numpy``
    rounds as the operator asks. ``ordered``: whether operators whose ``ties`` are `first` keep to that.
    """

    x: Sequence[np.ndarray]
    e: Sequence[np.ndarray]
    y: Sequence[np.ndarray]
    attrs: Attrs
    unit: float
    numpy: NumpyFn
    ordered: bool = True
    held: str = ""


@dataclass(frozen=True)
class Hole:
    """The reason why a framework cannot express an operator, or one application of it."""

    reason: str


@dataclass(frozen=True)
class Call:
    """The arguments of a function that writes one application as Python source.

    ``x``: the operands as expressions (names or calls, never in need of parentheses). ``types`` and ``results``: the
    types of operands and results. ``draws``: the choices between equivalent texts. ``let`` binds an expression to a new
    local name, for an intermediate value that is used twice. ``do`` writes a statement, such as a write into a value of
    ``let``; None where only expressions fit. ``own``: for each operand, whether it starts at the beginning of memory of
    its own; empty if unknown.
    """

    x: Sequence[str]
    types: Sequence[TensorType]
    results: Sequence[TensorType]
    attrs: Attrs
    draws: Draws
    let: Callable[[str], str]
    do: Callable[[str], None] | None = None
    own: Sequence[bool] = ()


T = TypeVar("T")


class Draws(Protocol):
    """The choices about one application (:class:`polyjuice.lower.choices.Draws`)."""

    def chance(self, chance: float) -> bool:
        """Draw yes or no; the likelier answer is the plainer."""

    def choice(self, options: Sequence[T]) -> T:
        """Draw one of these options, the first of which is the plainest."""


class Builder(Protocol):
    """The interface for building an ONNX decomposition (:class:`polyjuice.ops.build.GraphBuilder`)."""

    types: dict[str, TensorType]

    def op(self, op: str, /, *inputs: str, **attrs: Any) -> str:
        """Apply an operator of the table with one result; returns the result's name."""

    def multi(self, op: str, /, *inputs: str, **attrs: Any) -> tuple[str, ...]:
        """Apply an operator of the table; returns the names of all its results."""

    def constant(self, array: np.ndarray) -> str:
        """Add a constant; returns its name."""


NumpyFn = Callable[[Sequence[np.ndarray], Attrs], Any]
ErrorFn = Callable[[ErrorContext], Any]
UnrollFn = Callable[[Sequence[np.ndarray], Attrs], Graph]
ShapeFn = Callable[[Sequence[Any], Any], Sequence[Any]]
SampleFn = Callable[[random.Random, TensorType], "Sample | None"]
PromoteFn = Callable[[Sequence[TensorType], Attrs], str]
SpellFn = Callable[[Call], "str | Hole"]
TemplatesFn = Callable[[Call], tuple[str, ...]]
Spelling = tuple[str, ...] | SpellFn | TemplatesFn | Hole
DecomposeFn = Callable[[Builder, Sequence[str], Attrs], "str | Sequence[str] | Hole"]


FRAMEWORKS = ("torch", "onnx", "tensorflow")

UNSPELLED = Hole("nobody has spelled it yet")


class Limits(Flag):
    """The cases beyond the real numbers on which all frameworks agree.

    INFINITY: infinite operands. NAN: NaN as operands. POLE: NaN or infinities from finite operands. STRICT: only for
    operands without errors, for functions that are not monotone on either side of zero.
    """

    NOWHERE = 0
    INFINITY = auto()
    NAN = auto()
    POLE = auto()
    STRICT = auto()
    ANYWHERE = INFINITY | NAN | POLE


_WEIGHTS = {"": 1.0, "aten": 0.3}
"""How often an operator of a domain is drawn, unless its entry says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Op:
    """One operator.

    A name that begins with a capital letter is ONNX's, any other ATen's, and so is the ``domain``.

    ``inputs`` names a type variable for each operand, or ``@attr`` where an attribute has its type. At least
    ``min_inputs`` of them must be there, and with ``variadic`` the last repeats. ``types`` gives each variable its
    element types. ``torch_types`` has further types for the variable ``T``, which only Torch takes and only complex
    programs draw. ``results`` has, for each output, a type variable, an element type, ``@attr`` or PROMOTED. ``@attr``
    is the type that an attribute names, or the types of a graph that is the attribute. PROMOTED is the type that
    ``promotes`` returns for the operands and the attributes, or raises TypeMismatch. With ``splits`` the number of
    outputs depends on that attribute, as the shape signature says.

    ``shape`` is the shape signature (:mod:`polyjuice.ops.shapes`). ``numpy`` is the meaning on arrays of one precision.
    The interpreter computes half types in float32 and rounds once.

    - ``elementwise``: each result element depends on the operands' elements at its own place, after broadcasting.
    - ``exact``: on integer operands the result is that integer, in every type that can hold it. Operators that are
      ``modular`` or only move elements are exact, too.
    - ``exact_with``: whether ``exact`` holds with some attributes, for results in a type (default: with all).
    - ``continuous``: small changes of the operands make small changes of the result.
    - ``moves``: the result only rearranges operand elements.
    - ``ties``: which of equal elements wins, ``first`` or ``unspecified`` (None where there is no choice).
    - ``partial``: an upper bound on all intermediate sums, for the exact rung (default: the result's magnitude).
    - ``rounds``: the operator asks for the rounding of its result (a cast). The rounding is its meaning, not an error.
    - ``modular``: on integers it is arithmetic modulo 2^n, in any order, and all frameworks wrap around alike.
    - ``limits``: where beyond the real numbers all frameworks agree, with each other and with IEEE 754 arithmetic.
      Unless the operator is elementwise, its error rule handles such operands.
    - ``disputed``: the mask of elements on which frameworks differ all the same.
    - ``error`` bounds the absolute error that operand errors cause.
    - ``ulps`` is the rounding of the operator itself, in units of the result's last place.
    - ``bits``: it reads the bits of its operands, so it gets them in their own types, also narrow ones.
    - ``typed``: its meaning depends on the type of its result, which arrays of a wider type do not have.

    ``torch`` and ``tensorflow`` write an application in those frameworks' Python. Each is a tuple of equivalent
    templates (``{0}`` is the first operand), a function to a text or to such templates, or a :class:`Hole`. ONNX has
    every operator of its own domain, from opset ``since`` on. For another domain or an older opset, ``onnx`` builds the
    same value from older operators of ONNX, or is a Hole.

    ``unrolled`` replaces ``numpy`` and ``error`` where attributes are graphs. It returns the graph that an application
    means, for the operands' values. The first ``deciding`` operands choose that graph.
    """

    name: str
    inputs: tuple[str, ...] = ("T",)
    types: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"T": dtypes.FLOATS})
    results: tuple[str, ...] = ("T",)
    torch_types: tuple[str, ...] = ()
    shape: ShapeFn
    numpy: NumpyFn
    error: ErrorFn
    torch: Spelling
    sample: SampleFn
    tensorflow: Spelling = UNSPELLED
    onnx: DecomposeFn | Hole | None = None
    since: int = 18
    attrs: tuple[Attr, ...] = ()
    min_inputs: int = -1
    variadic: bool = False
    splits: str = ""
    elementwise: bool = False
    exact: bool = False
    exact_with: Callable[[Attrs, str], bool] | None = None
    continuous: bool = True
    moves: bool = False
    ties: str | None = None
    partial: NumpyFn | None = None
    modular: bool = False
    rounds: bool = False
    typed: bool = False
    bits: bool = False
    limits: Limits = Limits.NOWHERE
    disputed: Callable[[ErrorContext], np.ndarray] | None = None
    promotes: PromoteFn | None = None
    unrolled: UnrollFn | None = None
    deciding: int = 0
    ulps: float = 0.0
    weight: float = -1.0  # negative: the weight of the domain

    def __post_init__(self) -> None:
        object.__setattr__(self, "exact", self.exact or self.modular or self.moves)
        if self.weight < 0:
            object.__setattr__(self, "weight", _WEIGHTS[self.domain])

    @cached_property
    def domain(self) -> str:
        """ "" for ONNX's operators, ``aten`` for ATen's."""
        return "aten" if self.name[0].islower() else ""

    @cached_property
    def qualified(self) -> str:
        """The name, with ``aten.`` before it for ATen's operators."""
        return f"{self.domain}.{self.name}" if self.domain else self.name

    @property
    def selects(self) -> bool:
        """Whether it computes nothing that needs rounding: results are operands' elements, or integers."""
        return self.exact and not self.ulps and self.partial is None

    @property
    def holes(self) -> dict[str, str]:
        """For each of FRAMEWORKS the reason why it cannot express the operator, or ""."""
        onnx = self.onnx if self.domain else None
        says = {"torch": self.torch, "onnx": onnx, "tensorflow": self.tensorflow}
        holes = {name: hole.reason if isinstance(hole, Hole) else "" for name, hole in says.items()}
        if self.domain and onnx is None:
            holes["onnx"] = "ONNX has no such operator, and nobody has said it in those that it has"
        return holes

    @cached_property
    def of_complex(self) -> bool:
        """Whether some operand or result must be a complex number."""
        types = [*self.types.values(), *((result,) for result in self.results)]
        return any(all(map(dtypes.is_complex, some)) for some in types if some)

    @property
    def arity(self) -> tuple[int, int | None]:
        """The least and the greatest number of operands (None: no limit)."""
        least = len(self.inputs) if self.min_inputs < 0 else self.min_inputs
        return least, None if self.variadic else len(self.inputs)

    @property
    def fixed_arity(self) -> bool:
        """Whether the number of operands is fixed."""
        least, greatest = self.arity
        return least == greatest

    def variable(self, position: int) -> str:
        """The type variable of the operand at ``position``."""
        return self.inputs[min(position, len(self.inputs) - 1)]

    def meant(self, attrs: Attrs, result: TensorType | None) -> Attrs:
        """The attributes in the form that ``numpy`` and ``error`` expect, for a first result of a type."""
        return {**attrs, RESULT: result.dtype} if self.typed and result else attrs

    def every_type(self, variable: str) -> tuple[str, ...]:
        """The element types of a type variable, with those that only Torch takes."""
        return self.types[variable] + (self.torch_types if variable == "T" else ())

    def accepts(self, position: int, dtype: str) -> bool:
        """Whether the operand at ``position`` may have an element type."""
        return dtype in self.every_type(self.variable(position))


Accepts = Callable[[Op, Sequence[TensorType], Sequence[TensorType]], bool]
"""Whether an operator may be applied to operands of some types, with results of some types."""


class TypeMismatch(ValueError):
    """Operand types or attributes that the operator does not accept."""


def infer(op: Op, operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    """The result types of an application. Raises TypeMismatch or ShapeMismatch where it is not well typed."""
    least, greatest = op.arity
    if len(operands) < least or (greatest is not None and len(operands) > greatest):
        raise TypeMismatch(f"{op.name} takes {least} to {greatest} operands, not {len(operands)}")
    bound: dict[str, str] = {}
    for position, operand in enumerate(operands):
        variable = op.variable(position)
        if bound.setdefault(variable, operand.dtype) != operand.dtype and variable != ANY:
            raise TypeMismatch(f"{op.name}: operands of types {bound[variable]} and {operand.dtype}")
        if not op.accepts(position, operand.dtype):
            raise TypeMismatch(f"{op.name} does not take {operand.dtype}")
    for attr in op.attrs:
        if attr.name not in attrs:
            raise TypeMismatch(f"{op.name}: the attribute {attr.name!r} is missing")
        if attr.kind == "graph" and attrs[attr.name].input_types[: len(operands)] != tuple(operands):
            raise TypeMismatch(f"{op.name}: the graph {attr.name!r} takes operands of other types")
    for position, operand in enumerate(operands):
        variable = op.variable(position)
        if variable.startswith("@") and (said := attrs[variable[1:]]) != operand.dtype:
            raise TypeMismatch(f"{op.name}: an operand of {operand.dtype} is given as {said}")
    shapes = op.shape([Dims(t.shape) for t in operands], AttrView(attrs))
    count = len(shapes) if op.splits else len(op.results)
    if op.promotes:
        bound = {**bound, PROMOTED: op.promotes(operands, attrs)}
    results = [result_dtype(op.results[min(i, len(op.results) - 1)], bound, attrs, i) for i in range(count)]
    return tuple(TensorType(d, tuple(s)) for d, s in zip(results, shapes, strict=True))


def result_dtype(result: str, bound: Mapping[str, str], attrs: Attrs, output: int = 0) -> str:
    """The element type that an entry of ``Op.results`` stands for."""
    if result.startswith("@"):
        value = attrs[result[1:]]
        return value.output_types[output].dtype if isinstance(value, Graph) else str(value)
    if result in dtypes.EVERY:
        return result
    return bound[result]


class AttrView:
    """Attributes read as fields, the form in which shape signatures read them."""

    def __init__(self, attrs: Attrs) -> None:
        self._attrs = attrs

    def __getattr__(self, name: str) -> Any:
        try:
            return self._attrs[name]
        except KeyError:
            raise AttributeError(name) from None
