"""Graph to Python source of a framework: a module class whose text is what runs and what a reproducer shows.

The spelling is chosen by the seed, because compilers treat spellings differently: which of an operator's templates is
used; broadcasting and promotion of types implicit or spelled out; results written over operands that are dead; a
constant as a number, built where it is used, a weight of one kind or another, or a further argument; a part of the body
in a function or a module of its own; axes counted from the front or the end; an intermediate value as a further result.
Every choice that was made is named in the artifact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.ir import Graph, Node, TensorType, array_digest, dtypes, uniform_value
from polyjuice.lower.idioms import Choices, axes_from_the_end, named
from polyjuice.lower.outline import Calling, Outline, choose
from polyjuice.lower.problem import Unlowerable
from polyjuice.lower.python_text import function, identifiers, model_class
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
_MODULE = 0.4
_FURTHER_RESULT = 0.1

_PART, _AROUND = "part", "around"
"""The names of the function that is a part of the graph, and of one through which it is called."""


@dataclass(frozen=True)
class Dialect:
    """How a framework says what surrounds the operators.

    ``imports`` come first; ``base`` is the class of models, whose constructor is given ``arrays`` by name, ``method``
    its call; ``weights`` gives the equivalent ways to store ``arrays[key]`` in an attribute; ``filled`` a tensor of a
    type with one value everywhere, where ``{like}`` is some argument of the function or empty; ``broadcast`` has the
    places ``{x}`` and ``{shape}``; ``decorators`` are those that a function of its own may have. ``promotes`` says
    whether operators cast operands to a common type by themselves; ``opaque`` spells nodes that the table lacks.
    """

    format: str
    title: str
    imports: str
    base: str
    method: str
    reserved: frozenset[str]
    spelling: Callable[[Op], Spelling]
    weights: Callable[[str, str, str], Sequence[str]]
    filled: Callable[[TensorType, str, str], str]
    broadcast: str
    decorators: Sequence[str]
    promotes: bool = False
    opaque: Callable[[Node, Sequence[str]], str | Hole] = field(default=lambda node, x: Hole("it is opaque"))


def write(graph: Graph, choices: Choices, dialect: Dialect) -> Artifact:
    """The source of a graph and the arrays that it takes. Raises Unlowerable naming the node."""
    return _Writer(graph, choices, dialect).artifact()


class _Writer:
    """Writes one model."""

    def __init__(self, graph: Graph, choices: Choices, dialect: Dialect) -> None:
        self._idioms: Counter[str] = Counter()
        graph = axes_from_the_end(graph, choices, self._idioms)
        self._graph = graph
        self._choices = choices
        self._dialect = dialect
        self._names = identifiers(graph, {*dialect.reserved, _PART, _AROUND})
        self._setup: dict[str, str] = {}
        self._arrays: dict[str, np.ndarray] = {}
        self._arguments: dict[str, str] = {}
        self._numbers: dict[str, str] = {}
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
        outline = self._outline(nodes)
        call, members = self._outlined(nodes, outline) if outline else ([], [])
        self._begin_function([*graph.inputs, *self._arguments])
        for number in outline.before if outline else range(len(nodes)):
            self._node(nodes[number])
        self._body += call
        for number in outline.after if outline else ():
            self._node(nodes[number])
        results = [*graph.outputs, *self._further_results()]
        outer = self._function(self._dialect.method, results)
        model = model_class("Model", self._dialect.base, self._setup.values(), [outer, *members])
        text = "\n".join([self._dialect.imports, "", *model]) + "\n"
        return Artifact(
            self._dialect.format,
            text,
            self._arrays,
            arguments=tuple(self._arguments.values()),
            results=len(graph.outputs),
            idioms=named(self._idioms),
        )

    def _function(self, name: str, results: Sequence[str], decorator: str = "", bound: bool = True) -> list[str]:
        """What has been written as a function, which is a method if it is ``bound``."""
        tensors = [self._tensor(result) for result in results]
        parameters = [*(["self"] if bound else []), *(self._names[p] for p in self._parameters)]
        return function(name, parameters, [*self._body, f"return ({', '.join(tensors)},)"], decorator)

    # --- constants ---------------------------------------------------------------------------------------------------

    def _constant(self, name: str, array: np.ndarray) -> None:
        """Decide how a constant is written; a number is written where it is used."""
        dtype = dtypes.of_array(array)
        value = uniform_value(array)
        rng = self._choices.about("constant", name)
        if value is not None and rng.random() < _NUMBER:
            self._numbers[name] = repr(value)
            return
        key = f"w_{array_digest(array)}_{'x'.join(map(str, array.shape)) or 'scalar'}_{dtype}"
        self._arrays[key] = array
        if rng.random() < _ARGUMENT:
            self._arguments[name] = key
            self._idioms["a constant as an argument"] += 1
            return
        attribute = f"w_{self._names[name]}"  # no attribute of a framework's module begins so
        self._setup[name] = rng.choice(self._dialect.weights(attribute, key, dtype))
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
        rng = self._choices.about("operator of", _first_result(node))
        call = Call(
            self._operands(node, op),
            [self._graph.types[name] for name in self._operand_names(node)],
            [self._graph.types[name] for name in node.outputs if name],
            node.attrs,
            rng,
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
        template = rng.choice(allowed)
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
        for position, name in enumerate(names):
            if name == number:
                texts.append(self._number(name))
                continue
            text = self._tensor(name)
            broadcasts = op.elementwise and result and self._graph.types[name].shape != result.shape
            rng = self._choices.about(f"operand {position} of", _first_result(node))
            if result and broadcasts and rng.random() < _EXPLICIT_BROADCAST:
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
        rng = self._choices.about("number in", _first_result(node))
        return right if fits and self._graph.types[left] == result and rng.random() < _NUMBER_OPERAND else None

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
                if node.op == "Sub" and self._graph.types[origin].dtype == "bool":  # which Torch refuses to subtract
                    continue
                widens = origin not in found and other not in self._graph.constants
                rng = self._choices.about("cast", name)
                if widens and self._promoted(origin, other) and rng.random() < _IMPLICIT_CAST:
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

    def _outline(self, nodes: Sequence[Node]) -> Outline | None:
        """Sometimes a part that takes some tensor (to make others beside)."""
        read = [replace(node, inputs=tuple(self._operand_names(node))) for node in nodes]
        outline = choose(replace(self._graph, nodes=tuple(read)), self._choices)
        return outline if outline and outline.part.graph.inputs else None

    def _outlined(self, nodes: Sequence[Node], outline: Outline) -> tuple[list[str], list[list[str]]]:
        """A part as a function: the statement that calls it, and what the class gets for it.

        That is a method, a module in an attribute, or a function inside of another.
        """
        part, calling = outline.part.graph, outline.calling
        self._begin_function([*part.inputs, *(name for name in part.constants if name in self._arguments)])
        for number in sorted(outline.part.nodes):
            self._node(nodes[number])
        self._idioms[calling.value] += 1
        targets, arguments = (", ".join(self._names[n] for n in names) for names in (part.outputs, self._parameters))
        targets += "," if len(part.outputs) == 1 else ""
        parameters = ["self", *(self._names[p] for p in self._parameters)]
        rng = self._choices.about("decorators")
        decorator, other = (rng.choice(self._dialect.decorators) for _ in range(2))
        if calling in (Calling.LOCAL, Calling.RETURNED):
            inner = [*self._function(_PART, part.outputs, decorator, bound=False), ""]
            if calling is Calling.LOCAL:
                around = function(_AROUND, parameters, [*inner, f"return {_PART}({arguments})"], other)
                return [f"{targets} = self.{_AROUND}({arguments})"], [around]
            around = function(_AROUND, ["self"], [*inner, f"return {_PART}"])
            return [f"{targets} = self.{_AROUND}()({arguments})"], [around]
        members = [self._module(nodes, outline, decorator)]
        if calling is Calling.DIRECT:
            return [f"{targets} = self.{_PART}({arguments})"], members
        around = function(_AROUND, parameters, [f"return self.{_PART}({arguments})"], other)
        return [f"{targets} = self.{_AROUND}({arguments})"], [around, *members]

    def _module(self, nodes: Sequence[Node], outline: Outline, decorator: str) -> list[str]:
        """What has been written as a method, or as a module with weights of its own."""
        part = outline.part.graph
        if self._choices.about("module").random() >= _MODULE:
            return self._function(_PART, part.outputs, decorator)
        self._idioms["a module of its own"] += 1
        others = (name for number in (*outline.before, *outline.after) for name in nodes[number].inputs)
        shared = {*others, *self._graph.outputs}
        weights = {name: self._setup[name] for name in part.constants if name in self._setup}
        self._setup = {name: text for name, text in self._setup.items() if name in shared or name not in weights}
        self._setup[_PART] = f"self.{_PART} = self.{_PART.title()}(arrays)"
        method = self._function(self._dialect.method, part.outputs, decorator)
        return model_class(_PART.title(), self._dialect.base, weights.values(), [method])

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
        rng = self._choices.about("further result")
        if not inner or overwritten or rng.random() >= _FURTHER_RESULT:
            return []
        self._idioms["an intermediate value as a result"] += 1
        return [rng.choice(inner)]


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


def _first_result(node: Node) -> str:
    """The name by which the choices about a node go."""
    return next(filter(None, node.outputs))


def _fresh_results(graph: Graph) -> set[str]:
    """Values in memory of their own: the results of operators that compute every element anew."""
    fresh: set[str] = set()
    for node in graph.nodes:
        op = entry(node)
        if op and op.elementwise and not op.variadic and not op.moves and node.qualified != "Cast":
            fresh.update(node.outputs)
    return fresh
