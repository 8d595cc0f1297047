"""An entry of the operator table: everything that the rest of the project knows of an operator.

Type inference, the interpreter, the egglog constructors and shape rules, the generator's sampling, the error bounds and
the lowerings all read these entries. To add an operator is to add one :class:`Op`.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypedDict, TypeVar, Unpack

import numpy as np

from polyjuice.ir import Attrs, Graph, TensorType, dtypes
from polyjuice.ops.text import Places, templates, written
from polyjuice.ops.value_bounds import Bounds, hull

ANY = "*"
"""A type variable whose occurrences may be of different types."""

PROMOTED = "promoted"
"""An entry of ``Op.results``: the type that ``Op.promotes`` returns."""

RESULT = "@result"
"""The attribute that a meaning `OfResult` gets in addition: the element type of the first result."""

REQUIRED = object()
"""The default of an attribute that must be given."""


@dataclass(frozen=True)
class Attr:
    """An attribute."""

    name: str

    kind: str
    """One of ``int``, ``ints``, ``float``, ``floats`` (single precision), ``string``, ``dtype`` and ``graph``."""

    default: Any = REQUIRED
    """ONNX's default, or REQUIRED."""

    as_input: bool = False
    """Whether ONNX (opset 18) passes it as a constant input behind the operands, in the order of the entry."""

    scalar: bool = False
    """Whether that input has rank 0."""

    like_operand: bool = False
    """Whether that input has the type of the first operand."""

    place: int | None = None
    """Its number among ONNX's inputs, where it stands among the operands."""


_KINDS = {int: "int", float: "float", str: "string", tuple: "ints"}


def attributes(**defaults: Any) -> tuple[Attr, ...]:
    """Attributes by their defaults. One that must be given has its kind there: ``attributes(k="int", axis=-1)``."""
    required = {*_KINDS.values(), "dtype", "graph"}
    return tuple(
        Attr(name, value) if value in required else Attr(name, _KINDS[type(value)], value)
        for name, value in defaults.items()
    )


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


@dataclass(frozen=True)
class VjpContext:
    """One application of an operator in float64: operands ``x``, the result ``y``, and its cotangent ``c``."""

    x: Sequence[np.ndarray]
    y: np.ndarray
    c: np.ndarray
    attrs: Attrs
    numpy: NumpyFn


class ErrorContext(NamedTuple):
    """One application, as an error rule sees it: all arrays are float64 (integers and booleans as they are).

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


class UnsettledContext(NamedTuple):
    """One application in a program, for a rule that says whether its results are open.

    ``x``: the operands' values in float64. ``needed``: whether the program needs each result. ``ours``: whether we
    generated the program. ``defined``: whether its framework defines all results (``Format.edge_defined``).
    """

    x: Sequence[np.ndarray]
    attrs: Attrs
    needed: Sequence[bool]
    ours: bool
    defined: bool


@dataclass(frozen=True)
class Unsupported:
    """The reason why a framework cannot express an operator, or one application of it."""

    reason: str


@dataclass(frozen=True)
class Call:
    """One application, as Python source for it sees it.

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "attrs", {name: written(value) for name, value in self.attrs.items()})

    def fill(self, template: str) -> str:
        """The text that a template gives (:func:`polyjuice.ops.text.spell`)."""
        return string.Formatter().vformat(template, self.x, Places(self))


T = TypeVar("T")


class Draws(Protocol):
    """The choices about one application (:class:`polyjuice.frameworks.choosers.Draws`)."""

    def chance(self, chance: float) -> bool:
        """Draw yes or no; the likelier answer is the plainer."""

    def choice(self, options: Sequence[T]) -> T:
        """Draw one of these options, the first of which is the plainest."""


class Builder(Protocol):
    """The builder of an ONNX decomposition (:class:`polyjuice.ops.build.GraphBuilder`)."""

    types: dict[str, TensorType]

    def op(self, op: str, /, *inputs: str, **attrs: Any) -> str:
        """Apply an operator of the table with one result; returns the result's name."""

    def multi(self, op: str, /, *inputs: str, **attrs: Any) -> tuple[str, ...]:
        """Apply an operator of the table; returns the names of all its results."""

    def constant(self, array: np.ndarray) -> str:
        """Add a constant; returns its name."""


NumpyFn = Callable[[Sequence[np.ndarray], Attrs], Any]
ErrorFn = Callable[[ErrorContext], Any]
AdjointFn = Callable[[VjpContext], Sequence["np.ndarray | None"]]
DistanceFn = Callable[[Sequence[np.ndarray], Attrs], Mapping[int, np.ndarray]]
UnrollFn = Callable[[Sequence[np.ndarray], Attrs], Graph]
ShapeFn = Callable[[Sequence[Any], Any], Sequence[Any]]
SampleFn = Callable[[random.Random, TensorType], "Sample | None"]
UnsettledFn = Callable[[UnsettledContext], bool]
PromoteFn = Callable[[Sequence[TensorType], Attrs], str]
NormalFn = Callable[[dict[str, Any], Sequence[TensorType]], object]
RequireFn = Callable[[Sequence[TensorType], Attrs], object]
ViewFn = Callable[[Attrs, bool], bool]
SpellFn = Callable[[Call], "str | Unsupported"]
TemplatesFn = Callable[[Call], tuple[str, ...]]
Texts = tuple[str, ...] | SpellFn | TemplatesFn | Unsupported
DecomposeFn = Callable[[Builder, Sequence[str], Attrs], "str | Sequence[str] | Unsupported"]


@dataclass(frozen=True)
class OfBits:
    """A meaning that sees the bits of its operands. It is given them in their own types, even narrow ones."""

    meaning: NumpyFn

    def __call__(self, x: Sequence[np.ndarray], attrs: Attrs) -> Any:
        return self.meaning(x, attrs)


@dataclass(frozen=True)
class OfResult:
    """A meaning that depends on the type of its first result, which it is given as the attribute `RESULT`."""

    meaning: NumpyFn

    def __call__(self, x: Sequence[np.ndarray], attrs: Attrs) -> Any:
        return self.meaning(x, attrs)


@dataclass(frozen=True)
class Unrolled:
    """The meaning of an operator whose attributes are graphs. It stands in for an error rule, too.

    ``graph`` returns the graph that an application amounts to, given the operands' values. The first ``controls``
    operands choose it.
    """

    graph: UnrollFn
    controls: int = 0

    def __call__(self, *_: object) -> Any:
        raise TypeError("control flow means what its unrolled graph does")


def by_definition(*_: object) -> Any:
    """Stands in an entry for what :mod:`polyjuice.ops.definitions` derives."""
    raise AssertionError("an operator needs a definition, or its meaning and its error rule")


def viewing(attrs: Attrs, contiguous: bool) -> bool:
    """The ``view`` of an operator that always returns one."""
    return True


def viewing_contiguous(attrs: Attrs, contiguous: bool) -> bool:
    """The ``view`` of an operator that returns one of a contiguous operand."""
    return contiguous


FRAMEWORKS = ("torch", "onnx", "tensorflow")

NOT_WRITTEN = Unsupported("nobody has written it, and it has no definition")


class SpecialValues(Flag):
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


INFINITY, NAN, POLE, STRICT = SpecialValues.INFINITY, SpecialValues.NAN, SpecialValues.POLE, SpecialValues.STRICT
ANYWHERE = SpecialValues.ANYWHERE

CONTRIB = "com.microsoft"
"""The domain of ONNX Runtime's own operators."""

_WEIGHTS = {"": 1.0, "aten": 0.3, CONTRIB: 0.3}
"""How often an operator of a domain is drawn, unless its entry says otherwise."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Op:
    """One operator: all that the project knows of it."""

    name: str
    """ONNX's name, which begins with a capital letter, or ATen's, or ONNX Runtime's, as in ``com.microsoft.Gelu``."""

    domain: str = ""
    """ONNX's own domain, "", or ``com.microsoft`` or ``aten``, as the name says."""

    inputs: tuple[str, ...] = ("T",)
    """A type variable for each operand, or ``@attr`` where an attribute says its type."""

    types: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"T": dtypes.FLOATS})
    """The element types of each type variable."""

    results: tuple[str, ...] = ("T",)
    """For each output a type variable, an element type, PROMOTED, or ``@attr``: the type that an attribute names, or
    the types of the outputs of the graph that it is."""

    torch_types: tuple[str, ...] = ()
    """Further element types of the variable ``T`` in Torch alone. They are drawn in complex programs alone."""

    shape: ShapeFn = by_definition
    """The shape signature (:mod:`polyjuice.ops.shapes`). The results have the shapes of the definition's unless
    given."""

    text: Mapping[str, Texts] = field(default_factory=dict)
    """An application in the Python of each framework (:func:`polyjuice.ops.text.spell`): equivalent templates, a
    function that returns a text or such templates, or an :class:`Unsupported`. Where there is none, the definition is
    written."""

    sample: SampleFn
    """Draws ways to apply the operator to a given first operand."""

    definition: DecomposeFn | Unsupported | None = None
    """Builds the same value of ONNX's operators, where ONNX lacks this one or has it only since a later opset."""

    numpy: NumpyFn = by_definition
    """The meaning, on arrays of one precision. The interpreter computes half types in float32 and rounds once.
    It is that of the definition unless given. It may be `OfBits`, `OfResult` or `Unrolled`."""

    error: ErrorFn = by_definition
    """A bound on the absolute error of the results that errors of the operands cause. It follows from the definition
    unless given."""

    algorithms: tuple[DecomposeFn, ...] = ()
    """Further ways, beside the definition, in which frameworks compute it. The error bound covers each of them."""

    why_not_derived: str = ""
    """Why ``numpy`` or ``error`` do not follow from the definition, where there is one."""

    since: int = 18
    """The first opset of ONNX that has the operator as it is meant here."""

    attrs: tuple[Attr, ...] = ()
    """The attributes."""

    normal: NormalFn | None = None
    """Brings attributes in ONNX's ways to write them into the one of the table (:mod:`polyjuice.ops.normal`), in place,
    for operands of some types. Defaults are there already. By default, an axis is counted from the front."""

    min_inputs: int = -1
    """How many operands must be there; all of them where this is negative."""

    variadic: str = ""
    """Which vary in number: ``operands``, the last of which repeats, ``results``, or both."""

    elementwise: bool = False
    """Whether each element of the result depends only on the operands' elements at its place, after broadcasting."""

    integer_exact: bool = False
    """Whether the result of integers is that integer, in every type that holds it. It follows from ``modular``,
    ``moves`` and ``ties``, and holds for truth values."""

    integer_exact_with: Callable[[Attrs, str], bool] | None = None
    """Whether ``integer_exact`` holds with some attributes, for results held in a type; with all unless given."""

    continuous: bool | None = None
    """Whether small changes of the operands make small changes of the result. By default, it holds unless that is a
    truth value."""

    moves: bool = False
    """Whether the result only rearranges elements of the operands."""

    ties: str | None = None
    """The one of equal elements that wins: ``first`` or ``unspecified``; None where there is no choice."""

    partial: NumpyFn | None = None
    """An upper bound on all intermediate sums, which decides whether results are reproducible; the result's magnitude
    unless given."""

    modular: bool = False
    """Whether it is arithmetic modulo 2^n on integers, in any order, so that all frameworks wrap around alike."""

    limits: SpecialValues = SpecialValues.NOWHERE
    """Where, beyond the real numbers, all frameworks agree with each other and with IEEE 754."""

    disputed: Callable[[ErrorContext], np.ndarray] | None = None
    """At which elements frameworks differ."""

    unsettled: UnsettledFn | None = None
    """Whether correct compilers may give different results (:mod:`polyjuice.ops.unspecified`)."""

    signed_zeros: bool | None = None
    """Whether its meaning alone decides the signs of zeros. Kernels that compare take either of two equal zeros, and a
    sum begins with a zero of the framework's choice. By default, it holds for operators on real numbers that are
    elementwise or move elements."""

    fresh: bool | None = None
    """Whether results always have memory of their own. By default, it holds for elementwise operators that compute and
    have a fixed number of operands."""

    view: ViewFn | None = None
    """Whether all its texts in Torch return a view of the first operand, given the attributes and whether that operand
    is contiguous."""

    data_dependent: bool = False
    """Whether sizes of its results depend on the values of operands. No rule looks at such results."""

    any_number: bool = False
    """Whether its attributes may be infinite or NaN, because it copies them or compares with them."""

    numbers: tuple[int, ...] = ()
    """The numbers of the operands, 0 and 1, that may be Python numbers, without a change of the result's type."""

    data_inputs: int | None = None
    """How many operands are data, where the further ones are learnt parameters (weights, biases, scales ...)."""

    requires: RequireFn | None = None
    """Whether the types of the operands and the attributes go together, where types or shapes alone do not tell."""

    promotes: PromoteFn | None = None
    """The result's type for the types of the operands and the attributes, where ``results`` says PROMOTED. Raises
    TypeMismatch."""

    ulps: float = 0.0
    """The rounding of the operator itself, in units of the result's last place."""

    bounds: Bounds | None = None
    """Bounds on the result's values, from the operands'. See ``value_bounds`` for operators that move elements."""

    filling: str = ""
    """For an operator that ``moves``: the number at places to which no element moves. An attribute goes by its name
    with ``_`` behind it."""

    adjoint: AdjointFn | None = None
    """The cotangents of the first operands. None stands for an operand without one."""

    picks: bool = False
    """Whether it chooses elements of its operands by comparison, so that cotangents go to the chosen ones."""

    distance_to_domain: DistanceFn | None = None
    """By operand, how far each element should move up or down to reach the domain in which the result is finite."""

    overflows: bool = False
    """Whether operands of moderate size make results that no type holds."""

    followers: str = ""
    """The qualified names of operators that optimizers fuse with it or exchange, or that follow it in common models.
    The pairs come from the patterns of ONNX Runtime, Inductor, TVM and XLA."""

    weight: float = -1.0
    """How often the operator is generated, compared with others; that of its domain where this is negative."""

    def __post_init__(self) -> None:
        domain = next((d for d in (CONTRIB, "aten") if self.name.startswith(f"{d}.")), "")
        name = self.name.removeprefix(f"{domain}.")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "domain", domain or self.domain or ("aten" if name[0].islower() else ""))
        truth = set(self.results) == {"bool"}
        exact = self.integer_exact or self.modular or self.moves or self.ties is not None or truth
        object.__setattr__(self, "integer_exact", exact)
        operands = len(self.inputs) if self.fixed_arity else None
        texts = {
            framework: templates(text, self.name, operands) if isinstance(text, tuple) else text
            for framework, text in self.text.items()
        }
        object.__setattr__(self, "text", texts)
        if self.continuous is None:
            object.__setattr__(self, "continuous", not truth)
        if self.weight < 0:
            object.__setattr__(self, "weight", _WEIGHTS[self.domain])
        if self.signed_zeros is None:
            object.__setattr__(self, "signed_zeros", (self.elementwise or self.moves) and not self.of_complex)
        if self.fresh is None:
            object.__setattr__(self, "fresh", self.elementwise and self.fixed_arity and not self.moves)

    @cached_property
    def qualified(self) -> str:
        """The name with its domain, as in ``aten.square``."""
        return f"{self.domain}.{self.name}" if self.domain else self.name

    @cached_property
    def rounds(self) -> bool:
        """Whether it asks for the rounding of its result, as a cast. Then the rounding is its meaning, and no error."""
        return self.elementwise and self.results[0].startswith("@") and not isinstance(self.numpy, OfBits)

    @cached_property
    def unrolled(self) -> Unrolled | None:
        """The meaning where attributes are graphs."""
        return self.numpy if isinstance(self.numpy, Unrolled) else None

    def with_result(self, attrs: Attrs, result: TensorType | None) -> Attrs:
        """The attributes in the form that ``numpy`` and ``error`` expect, for a first result of a type."""
        return {**attrs, RESULT: result.dtype} if isinstance(self.numpy, OfResult) and result else attrs

    @property
    def selects(self) -> bool:
        """Whether it computes nothing that needs rounding: results are operands' elements, or integers."""
        return self.integer_exact and not self.ulps and self.partial is None

    def texts(self, framework: str) -> Texts:
        """The texts in a framework's Python."""
        return self.text.get(framework, NOT_WRITTEN)

    @property
    def unsupported(self) -> dict[str, str]:
        """For each of FRAMEWORKS the reason why it cannot express the operator, or ""."""
        if callable(self.definition):
            return dict.fromkeys(FRAMEWORKS, "")
        onnx = self.definition or Unsupported("ONNX has no such operator, and nobody has said it in those that it has")
        says = {name: self.text.get(name, NOT_WRITTEN) for name in FRAMEWORKS} | {"onnx": onnx if self.domain else ""}
        return {name: one.reason if isinstance(one, Unsupported) else "" for name, one in says.items()}

    @cached_property
    def of_complex(self) -> bool:
        """Whether some operand or result must be a complex number."""
        types = [*self.types.values(), *((result,) for result in self.results)]
        return any(all(map(dtypes.is_complex, some)) for some in types if some)

    def value_bounds(self, operands: int) -> Bounds | None:
        """Bounds on the values of a result, given the number of operands. Moved elements keep the operands' bounds."""
        if self.bounds is not None:
            return self.bounds if self.bounds.fits(operands) else None
        if not self.moves or self.of_complex:
            return None
        return hull([i for i in range(operands) if self.variable(i) in self.results], self.filling)

    @property
    def arity(self) -> tuple[int, int | None]:
        """The least and the greatest number of operands (None: no limit)."""
        least = len(self.inputs) if self.min_inputs < 0 else self.min_inputs
        return least, None if "operands" in self.variadic else len(self.inputs)

    @property
    def fixed_arity(self) -> bool:
        """Whether the number of operands is fixed."""
        least, greatest = self.arity
        return least == greatest

    def variable(self, position: int) -> str:
        """The type variable of the operand at ``position``."""
        return self.inputs[min(position, len(self.inputs) - 1)]

    def every_type(self, variable: str) -> tuple[str, ...]:
        """The element types of a type variable, with those that only Torch takes."""
        return self.types[variable] + (self.torch_types if variable == "T" else ())

    def accepts(self, position: int, dtype: str) -> bool:
        """Whether the operand at ``position`` may have an element type."""
        return dtype in self.every_type(self.variable(position))


class Facts(TypedDict, total=False):
    """The fields of :class:`Op` that are flags, numbers or names."""

    min_inputs: int
    variadic: str
    since: int
    elementwise: bool
    moves: bool
    modular: bool
    integer_exact: bool
    continuous: bool
    ties: str
    picks: bool
    overflows: bool
    ulps: float
    limits: SpecialValues
    signed_zeros: bool
    fresh: bool
    view: ViewFn
    any_number: bool
    data_dependent: bool
    numbers: tuple[int, ...]
    data_inputs: int
    torch_types: tuple[str, ...]
    filling: str
    weight: float
    followers: str
    bounds: Bounds


def facts(**known: Unpack[Facts]) -> dict[str, Any]:
    """Fields of an entry, checked, without a line for each."""
    return {**known}
