"""Graph to Python source of a framework: a module class whose text is what runs and what a reproducer shows.

The spelling is chosen by the seed, because compilers treat spellings differently: which of an operator's templates is
used; broadcasting and promotion of types implicit or spelled out; results written over operands that are dead; a
constant as a number, built where it is used, a weight of one kind or another, or a further argument; the body in one
function or in two; an intermediate value as a further result. Every choice that was made is named in the artifact.
"""

from __future__ import annotations

import keyword
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.ir import Graph, Node, TensorType, array_digest, dtypes, uniform_value
from polyjuice.lower.idioms import named
from polyjuice.lower.problem import Unlowerable
from polyjuice.ops import Call, Hole, Op, Spelling, entry

#: Operators that take a Python number for one operand without a change of type.
_TAKE_NUMBERS = frozenset({"Add", "Sub", "Mul", "Div"})

#: Operators before which a cast of one operand to the type of the others may be left to the framework.
_PROMOTE = frozenset({"Add", "Sub", "Mul"})

#: A template that writes its result over its first operand calls something whose name ends in an underscore.
_IN_PLACE = re.compile(r"[a-z0-9]_\(")

# Chances of the idioms, each where it is possible at all.
_NUMBER = 0.8
_NUMBER_OPERAND = 0.7
_EXPLICIT_BROADCAST = 0.15
_IMPLICIT_CAST = 0.3
_ARGUMENT = 0.1
_OUTLINED = 0.15
_FURTHER_RESULT = 0.1


@dataclass(frozen=True)
class Dialect:
    """How a framework says what surrounds the operators.

    ``header`` ends inside the constructor of the model, which is given ``arrays`` by name; ``method`` is its call;
    ``weights`` gives the equivalent ways to store ``arrays[key]`` in an attribute; ``filled`` a tensor of a type with
    one value everywhere, where ``{like}`` is some argument of the function or empty; ``broadcast`` has the places
    ``{x}`` and ``{shape}``; ``decorators`` are those that a function of its own may have. ``promotes`` says whether
    operators cast operands to a common type by themselves; ``opaque`` spells nodes that the table lacks.
    """

    format: str
    title: str
    header: str
    method: str
    reserved: frozenset[str]
    spelling: Callable[[Op], Spelling]
    weights: Callable[[str, str, str], Sequence[str]]
    filled: Callable[[TensorType, str, str], str]
    broadcast: str
    decorators: Sequence[str]
    promotes: bool = False
    opaque: Callable[[Node, Sequence[str]], str | Hole] = field(default=lambda node, x: Hole("it is opaque"))


def write(graph: Graph, rng: random.Random, dialect: Dialect) -> Artifact:
    """The source of a graph and the arrays that it takes. Raises Unlowerable naming the node."""
    return _Writer(graph, rng, dialect).artifact()


class _Writer:
    """Writes one model."""

    def __init__(self, graph: Graph, rng: random.Random, dialect: Dialect) -> None:
        self._graph = graph
        self._rng = rng
        self._dialect = dialect
        self._names = _python_names(graph, dialect.reserved)
        self._setup: list[str] = []
        self._arrays: dict[str, np.ndarray] = {}
        self._arguments: dict[str, str] = {}
        self._numbers: dict[str, str] = {}
        self._idioms: Counter[str] = Counter()
        self._uses = Counter(name for node in graph.nodes for name in node.inputs) + Counter(graph.outputs)
        self._fresh = _fresh_results(graph)
        self._uncast = self._implicit_casts() if dialect.promotes else {}
        self._locals = 0
        self._begin_function(graph.inputs)

    def _begin_function(self, parameters: Sequence[str]) -> None:
        self._body: list[str] = []
        self._parameters = parameters
        self._made: set[str] = set()

    def artifact(self) -> Artifact:
        graph = self._graph
        for name, array in graph.constants.items():
            self._constant(name, array)
        nodes = [node for node in graph.nodes if not set(node.outputs) & set(self._uncast)]
        outlined, inner = self._outlined(nodes)
        self._begin_function([*graph.inputs, *self._arguments])
        for number, node in enumerate(nodes):
            if number == outlined.start and len(outlined):
                self._body.append(inner[0])
            if number not in outlined:
                self._node(node)
        further = self._further_results()
        results = [self._tensor(name) for name in [*graph.outputs, *further]]
        outer = self._function(self._dialect.method, [*graph.inputs, *self._arguments], self._body, results)
        head = self._dialect.header + "".join(f"        {line}\n" for line in self._setup)
        text = "\n".join([head, *outer, *(["", *inner[1:]] if len(outlined) else [])]) + "\n"
        return Artifact(
            self._dialect.format,
            text,
            self._arrays,
            arguments=tuple(self._arguments.values()),
            results=len(graph.outputs),
            idioms=named(self._idioms),
        )

    def _function(self, name: str, parameters: Sequence[str], body: Sequence[str], results: Sequence[str]) -> list[str]:
        signature = ", ".join(["self", *(self._names[p] for p in parameters)])
        return [
            f"    def {name}({signature}):",
            *(f"        {line}" for line in body),
            f"        return ({', '.join(results)},)",
        ]

    # --- constants ---------------------------------------------------------------------------------------------------

    def _constant(self, name: str, array: np.ndarray) -> None:
        """Decide how a constant is written; a number is written where it is used."""
        dtype = dtypes.of_array(array)
        value = uniform_value(array)
        if value is not None and self._rng.random() < _NUMBER:
            self._numbers[name] = repr(value)
            return
        key = f"w_{array_digest(array)}_{'x'.join(map(str, array.shape)) or 'scalar'}_{dtype}"
        self._arrays[key] = array
        if self._rng.random() < _ARGUMENT:
            self._arguments[name] = key
            self._idioms["a constant as an argument"] += 1
            return
        attribute = f"w_{self._names[name]}"  # no attribute of a framework's module begins so
        self._setup.append(self._rng.choice(self._dialect.weights(attribute, key, dtype)))
        self._names[name] = f"self.{attribute}"

    def _tensor(self, name: str) -> str:
        """The expression of a value; a uniform constant is built the first time that a tensor of it is needed."""
        if name in self._numbers and name not in self._made:
            like = self._names[self._parameters[0]] if self._parameters else ""
            text = self._dialect.filled(self._graph.types[name], self._number(name), like)
            self._body.append(f"{self._names[name]} = {text}")
            self._made.add(name)
        return self._names[name]

    def _number(self, name: str) -> str:
        text = self._numbers[name]
        return f'float("{text}")' if text in ("inf", "-inf", "nan") else text

    # --- operators ---------------------------------------------------------------------------------------------------

    def _node(self, node: Node) -> None:
        op = entry(node)
        if op is None:
            text = self._dialect.opaque(node, [self._tensor(name) for name in node.inputs if name])
        else:
            text = self._spell(node, op)
        if isinstance(text, Hole):
            raise Unlowerable(f"node {node}: {node.qualified} has no {self._dialect.title} spelling: {text.reason}")
        targets = ", ".join(self._names[name] if name else "_" for name in node.outputs)
        comma = "," if op and op.splits and len(node.outputs) == 1 else ""
        self._body.append(f"{targets}{comma} = {text}")

    def _spell(self, node: Node, op: Op) -> str | Hole:
        call = Call(
            self._operands(node, op),
            [self._graph.types[name] for name in self._operand_names(node)],
            [self._graph.types[name] for name in node.outputs if name],
            node.attrs,
            self._rng,
            self._let,
        )
        spelling = self._dialect.spelling(op)
        if isinstance(spelling, Hole):
            return spelling
        if not isinstance(spelling, tuple):
            return spelling(call)
        allowed = [t for t in spelling if not _IN_PLACE.search(t)]
        if self._may_overwrite(node, call):
            allowed = list(spelling)
        template = self._rng.choice(allowed)
        if _IN_PLACE.search(template):
            self._idioms["in place"] += 1
        return template.format(*call.x)

    def _let(self, text: str) -> str:
        self._locals += 1
        name = f"local_{self._locals}"
        self._body.append(f"{name} = {text}")
        return name

    def _operands(self, node: Node, op: Op) -> list[str]:
        names = self._operand_names(node)
        texts: list[str] = []
        result = self._graph.types[node.outputs[0]] if node.outputs[0] else None
        number = self._number_operand(node, names)
        for name in names:
            if name == number:
                texts.append(self._number(name))
                continue
            text = self._tensor(name)
            broadcasts = op.elementwise and result and self._graph.types[name].shape != result.shape
            if result and broadcasts and self._rng.random() < _EXPLICIT_BROADCAST:
                text = self._dialect.broadcast.format(x=text, shape=result.shape)
                self._idioms["explicit broadcast"] += 1
            texts.append(text)
        return texts

    def _number_operand(self, node: Node, names: Sequence[str]) -> str | None:
        """The second operand of arithmetic, if it is a uniform constant that the first one's shape absorbs."""
        if node.op not in _TAKE_NUMBERS or node.domain or len(names) != 2:
            return None
        left, right = names
        fits = right in self._numbers and left not in self._numbers
        result = self._graph.types[node.outputs[0]]
        return right if fits and self._graph.types[left] == result and self._rng.random() < _NUMBER_OPERAND else None

    def _may_overwrite(self, node: Node, call: Call) -> bool:
        """Whether nobody else can see the first operand, and the result fits into it."""
        name = node.inputs[0] if node.inputs else ""
        alone = name in self._fresh and self._uses[name] == 1 and name not in self._uncast
        return alone and call.x[0] == self._names[name] and call.types[0] == call.results[0]

    def _implicit_casts(self) -> dict[str, str]:
        """Casts that are left out: their results, and the values that stand in for them."""
        found: dict[str, str] = {}
        casts = {node.outputs[0]: node for node in self._graph.nodes if node.qualified == "Cast"}
        for node in self._graph.nodes:
            if node.qualified not in _PROMOTE or len(node.inputs) != 2:
                continue
            for name, other in (node.inputs, node.inputs[::-1]):
                if name not in casts or other in found or self._uses[name] != 1:
                    continue
                origin = casts[name].inputs[0]
                widens = origin not in found and other not in self._graph.constants
                if widens and self._promoted(origin, other) and self._rng.random() < _IMPLICIT_CAST:
                    found[name] = origin
                    self._idioms["implicit promotion"] += 1
        return found

    def _promoted(self, narrow: str, wide: str) -> bool:
        """Whether operators that meet these two values compute in the type of the second."""
        a, b = self._graph.types[narrow], self._graph.types[wide]
        if narrow in self._graph.constants or not a.rank or not b.rank or a.dtype == b.dtype:
            return False
        return b.dtype in _PROMOTIONS.get(a.dtype, ())

    # --- shape of the program ----------------------------------------------------------------------------------------

    def _outlined(self, nodes: Sequence[Node]) -> tuple[range, list[str]]:
        """Sometimes a run of nodes that becomes a function: the call, and then the lines of its definition."""
        if len(nodes) < 3 or self._rng.random() >= _OUTLINED:
            return range(0), []
        length = self._rng.randint(2, len(nodes) - 1)
        start = self._rng.randint(0, len(nodes) - length)
        inside = nodes[start : start + length]
        made = {name for node in inside for name in node.outputs if name}
        outside = {name for node in [*nodes[:start], *nodes[start + length :]] for name in self._operand_names(node)}
        results = [name for name in self._graph.types if name in made and name in outside.union(self._graph.outputs)]
        needed = dict.fromkeys(name for node in inside for name in self._operand_names(node) if name not in made)
        parameters = [n for n in needed if n in self._arguments or n not in self._graph.constants]
        if not results or not parameters:
            return range(0), []
        self._begin_function(parameters)
        for node in inside:
            self._node(node)
        lines = self._function("part", parameters, self._body, [self._names[name] for name in results])
        decorator = self._rng.choice(self._dialect.decorators)
        targets, arguments = (", ".join(self._names[n] for n in group) for group in (results, parameters))
        self._idioms["a function of its own"] += 1
        call = f"{targets}{',' if len(results) == 1 else ''} = self.part({arguments})"
        return range(start, start + length), [call, *([f"    {decorator}"] if decorator else []), *lines]

    def _operand_names(self, node: Node) -> list[str]:
        return [self._uncast.get(name, name) for name in node.inputs if name]

    def _further_results(self) -> list[str]:
        """Sometimes an intermediate value that the outermost function can name, and no operator has overwritten."""
        outer = "\n".join(self._body)
        names = {name: self._names[name] for node in self._graph.nodes for name in node.outputs if name}
        inner = [
            name
            for name, text in names.items()
            if name not in self._graph.outputs
            and name not in self._uncast
            and self._uses[name] > 0
            and re.search(rf"(^|\n|, ){re.escape(text)}(,| =)", outer)
        ]
        overwritten = self._idioms["in place"] > 0
        if not inner or overwritten or self._rng.random() >= _FURTHER_RESULT:
            return []
        self._idioms["an intermediate value as a result"] += 1
        return [self._rng.choice(inner)]


_PROMOTIONS: Mapping[str, tuple[str, ...]] = {
    "bool": dtypes.NUMERIC,
    "uint8": ("int16", "int32", "int64", *dtypes.FLOATS),
    "int8": ("int16", "int32", "int64", *dtypes.FLOATS),
    "int16": ("int32", "int64", *dtypes.FLOATS),
    "int32": ("int64", *dtypes.FLOATS),
    "int64": dtypes.FLOATS,
    "float16": ("float32", "float64"),
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
}
"""The types that a meeting with each type leaves as they are, between tensors that are not scalars."""


def _fresh_results(graph: Graph) -> set[str]:
    """Values in memory of their own: the results of operators that compute every element anew."""
    fresh: set[str] = set()
    for node in graph.nodes:
        op = entry(node)
        if op and op.elementwise and not op.variadic and not op.moves and node.qualified != "Cast":
            fresh.update(node.outputs)
    return fresh


def _python_names(graph: Graph, reserved: frozenset[str]) -> dict[str, str]:
    """An identifier for every value: its own name where that is one, else a cleaned and numbered form of it."""
    taken = {"self", "arrays", "part", "_", "", *reserved}
    names: dict[str, str] = {}
    for name in graph.types:
        clean = re.sub(r"\W", "_", name)
        if not clean.isidentifier() or keyword.iskeyword(clean) or clean.startswith("local_"):
            clean = f"v_{clean}"
        candidate, number = clean, 1
        while candidate in taken:
            number += 1
            candidate = f"{clean}_{number}"
        taken.add(candidate)
        names[name] = candidate
    return names
