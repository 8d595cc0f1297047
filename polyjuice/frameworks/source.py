"""Lower a graph to Python source of a framework: a module class that both runs and serves as the reproducer.

A chooser decides how the graph is written, because compilers treat equal programs differently:

- the operator's template, and axes counted from the front or the end;
- implicit or explicit broadcasts and type promotions;
- results that overwrite dead operands;
- constants as numbers, tensors made in place, weights of some kind, or arguments;
- a part of the body in a function or module of its own, and an intermediate value as a further result.

The artifact names every choice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks.choosers import Chooser, Draws
from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.idioms import axes_from_the_end, further_result, named
from polyjuice.frameworks.outline import Calling, Outline, choose
from polyjuice.frameworks.python_text import array_key, function, identifiers, model_class
from polyjuice.frameworks.request import Unlowerable
from polyjuice.ir import Graph, Node, SizeUnknown, TensorType, dtypes, uniform_value
from polyjuice.ops import Call, Op, Texts, Unsupported, entry, primitives
from polyjuice.ops.decompose import NoDecomposition, with_texts
from polyjuice.ops.text import written

#: A template that is a Python operator between two operands.
_BETWEEN = re.compile(r"\{0\} \S+ \{1\}")

#: A call of a module that is constructed in the same expression.
_MODULE_CALL = re.compile(r"(torch\.nn\.\w+\(.*\))\((\w[\w.]*)\)")

#: Matches a template that writes its result over its first operand.
_IN_PLACE = re.compile(r"[a-z0-9]_\(|inplace=True")

# Chances of the idioms, where they are possible.
_NUMBER = 0.8
_LARGEST_NUMBER = 2**63 - 1  # frameworks accept no larger integers from Python
_MADE = 0.4
_OVERWRITE = 0.7
_ON_A_COPY = 0.1
_ONE = 0.5
_NUMBER_OPERAND = 0.7
_EXPLICIT_BROADCAST = 0.15
_IMPLICIT_CAST = 0.5
_ARGUMENT = 0.1
_MODULE = 0.4
_FURTHER_RESULT = 0.1

_PART, _AROUND = "part", "around"
"""The names of the function that is a part of the graph, and of a function that calls it."""


class Placement(Protocol):
    """Where the values of a program that writes into its inputs lie. A node is identified by its position."""

    forms: list[Form]

    def is_early(self, number: int) -> bool:
        """Return whether a node's result exists already, as a view."""

    def is_shared(self, value: str) -> bool:
        """Return whether a value may share memory with another."""

    def puts(self, number: int) -> bool:
        """Write a node's result into an input, if it is to lie there and the memory allows it."""

    def holds(self, number: int, text: str) -> bool:
        """Write a node's result, given its expression, into the input where it is to lie, if there is one."""

    def after(self, number: int) -> None:
        """Write what is due after a node; -1 is the program's beginning."""


class Promotion(Protocol):
    """The casts that a framework's operators make by themselves."""

    def promotes(self, node: Node, cast: TensorType, other: TensorType) -> bool:
        """Return whether a node computes in the type of the operand ``other``, as if ``cast`` were cast to it."""

    def converts(self, node: Node, cast: TensorType) -> bool:
        """Return whether a node can take the type to which its first operand is to be cast."""

    def typed(self, text: str, operand: str, dtype: str) -> str:
        """Return the text of such a node that casts its first ``operand`` to a type."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The parts of a framework's source around the operators.

    - ``imports`` come first. ``base`` is the class of models, whose constructor takes ``arrays`` by name. ``method`` is
      the name of its call.
    - ``weights`` returns equivalent ways to store ``arrays[key]`` in an attribute.
    - ``filled`` writes a tensor of a type with one value. ``made`` writes one with an array's values, if it can. Both
      take the text of some argument of the function, or an empty text.
    - ``broadcast`` has the places ``{x}`` and ``{shape}``. ``decorators`` are those that a local function may have;
      ``of_methods`` are others for methods, which have a first parameter ``self``.
    - ``promotion`` knows the casts that operators make by themselves.
    - ``finished`` writes a call's arguments as the seed chooses, and returns its forms.
    - ``opaque`` writes nodes that the table lacks.
    - ``number_arguments`` replaces numbers in a text by arguments of the program: its last parameter takes a number and
      returns the argument's name.
    - ``overwrite`` sometimes writes the effect of an in-place template by other statements, and returns their form.
    - ``placement`` places the values of a program that writes into its inputs in memory.
    """

    format: str
    title: str
    imports: str
    base: str
    method: str
    reserved: frozenset[str]
    texts: Callable[[Op], Texts]
    weights: Callable[[str, str, str], Sequence[str]]
    filled: Callable[[TensorType, str, str, Draws], str]
    broadcast: str
    decorators: Sequence[str]
    made: Callable[[np.ndarray, str, Draws], str | None] = lambda array, like, draws: None
    promotion: Promotion | None = None
    finished: Callable[[str, Draws], tuple[str, Sequence[str]]] = lambda text, draws: (text, ())
    of_methods: Mapping[str, str] = field(default_factory=dict)
    opaque: Callable[[Node, Sequence[str]], str | Unsupported] = field(
        default=lambda node, x: Unsupported("it is opaque")
    )
    number_arguments: Callable[[str, Draws, Callable[[np.ndarray], str]], str] | None = None
    overwrite: Callable[[str, Call, Draws], str | None] = lambda template, call, draws: None
    placement: Callable[[Writer, Sequence[Node], Collection[str]], Placement] | None = None


def write(graph: Graph, chooser: Chooser, dialect: Dialect, contiguous: Collection[str] = ()) -> Artifact:
    """Return the source of a graph with the arrays that it takes. Raises Unlowerable, which names the node.

    An operator that has no text is written by its definition. ``contiguous`` names the inputs that are contiguous in
    memory.
    """
    try:
        graph = with_texts(graph, dialect.texts)
    except NoDecomposition as error:
        raise Unlowerable(str(error)) from None
    return Writer(graph, chooser, dialect, contiguous).artifact()


class Writer:
    """The program so far: the ``names`` of values, their ``numbers``, and functions that add statements."""

    def __init__(self, graph: Graph, chooser: Chooser, dialect: Dialect, contiguous: Collection[str]) -> None:
        self._idioms: Counter[str] = Counter()
        graph = axes_from_the_end(graph, chooser, self._idioms)
        self.graph = graph
        self.chooser = chooser
        self._dialect = dialect
        self.names = identifiers(graph, {*dialect.reserved, _PART, _AROUND})
        self._setup: dict[str, str] = {}
        self._arrays: dict[str, np.ndarray] = {}
        self._arguments: dict[str, str] = {}
        self.numbers: dict[str, str] = {}
        self._number_arguments: dict[str, str] = {}
        self._patterns: dict[str, np.ndarray] = {}
        self._uses = Counter(name for node in graph.nodes for name in node.inputs) + Counter(graph.outputs)
        self.fresh = _fresh_results(graph)
        self._uncast = self._implicit_casts(dialect.promotion) if dialect.promotion else {}
        self._locals = 0
        self._forms: list[Form] = []
        self._begin_function(graph.inputs)
        self._nodes = [node for node in graph.nodes if not set(node.outputs) & set(self._uncast)]
        self._memory: Placement | None = None
        if graph.updates:
            assert dialect.placement  # only formats with updates have programs that write into inputs
            self._memory = dialect.placement(self, self._as_read(self._nodes), contiguous)

    def _begin_function(self, parameters: Sequence[str]) -> None:
        self._body: list[str] = []
        self._parameters = [*(self.names[name] for name in parameters), *self._number_arguments]
        self._made: set[str] = set()

    def artifact(self) -> Artifact:
        graph, nodes = self.graph, self._nodes
        for name, array in graph.constants.items():
            self._constant(name, array)
        outline = self._outline(nodes)
        call, members = self._outlined(nodes, outline) if outline else ([], [])
        self._begin_function([*graph.inputs, *self._arguments])
        if self._memory:
            self._memory.after(-1)
        for number in outline.before if outline else range(len(nodes)):
            self._statement(number)
        self._body += call
        for number in outline.after if outline else ():
            self._statement(number)
        results = [*graph.returned, *self._further_results()]
        outer = self._function(self._dialect.method, results)
        model = model_class("Model", self._dialect.base, self._setup.values(), [outer, *members])
        text = "\n".join([self._dialect.imports, "", *model]) + "\n"
        return Artifact(
            format=self._dialect.format,
            source=text,
            arrays=self._arrays,
            arguments=(*self._arguments.values(), *self._number_arguments.values()),
            results=len(graph.outputs),
            setup={"numbers": len(self._number_arguments)} if self._number_arguments else {},
            idioms=named(self._idioms),
            forms=tuple(sorted([*self._forms, *(self._memory.forms if self._memory else ())])),
            choices=self.chooser.record(),
        )

    def _function(self, name: str, results: Sequence[str], decorator: str = "", bound: bool = True) -> list[str]:
        tensors = [self.tensor(result) for result in results]
        parameters = [*(["self"] if bound else []), *self._parameters]
        decorator = self._dialect.of_methods.get(decorator, decorator) if bound else decorator
        tuple_text = f"({', '.join(tensors)},)" if tensors else "()"
        return function(name, parameters, [*self._body, f"return {tuple_text}"], decorator)

    # --- constants ---------------------------------------------------------------------------------------------------

    def _constant(self, name: str, array: np.ndarray) -> None:
        """Decide how a constant is written. The statement that uses a number contains it."""
        dtype = dtypes.dtype_of(array)
        value = uniform_value(array)
        draws = self.chooser.about("constant", name)
        if (
            value is not None
            and not (isinstance(value, int) and value > _LARGEST_NUMBER)
            and draws.chance(_NUMBER, plain=True)
        ):
            self.numbers[name] = repr(written(value))
            return
        if value is None and draws.chance(_MADE, plain=False) and self._dialect.made(array, "", draws):
            self._patterns[name] = array
            self._idioms["a constant made in the program"] += 1
            return
        key = array_key(array)
        self._arrays[key] = array
        if draws.chance(_ARGUMENT):
            self._arguments[name] = key
            self._idioms["a constant as an argument"] += 1
            return
        attribute = f"w_{self.names[name]}"  # no attribute of a framework's module starts like this
        self._setup[name] = draws.choice(self._dialect.weights(attribute, key, dtype))
        self.names[name] = f"self.{attribute}"

    def tensor(self, name: str) -> str:
        """Return the expression of a value. A constant that the program makes is made before its first use."""
        if (name in self.numbers or name in self._patterns) and name not in self._made:
            like = next((name for name in self._parameters if name not in self._number_arguments), "")
            draws = self.chooser.about("making", name)
            if name in self.numbers:
                text: str | None = self._dialect.filled(self.graph.types[name], self.numbers[name], like, draws)
            else:
                text = self._dialect.made(self._patterns[name], like, draws)
            self._body.append(f"{self.names[name]} = {text}")
            self._made.add(name)
        return self.names[name]

    def _statement(self, number: int) -> None:
        if self._memory is None:
            self._node(self._nodes[number])
            return
        if not self._memory.is_early(number) and not self._memory.puts(number):
            self._node(self._nodes[number], number)
        self._memory.after(number)

    def _node(self, node: Node, number: int = -1) -> None:
        op = entry(node)
        if op is None:
            text = self._dialect.opaque(node, [self.tensor(name) for name in node.inputs if name])
        else:
            try:
                text = self._spell(node, op)
            except SizeUnknown as reason:
                text = Unsupported(str(reason))
        if isinstance(text, Unsupported):
            raise Unlowerable(f"node {node}: {node.qualified} has no {self._dialect.title} text: {text.reason}")
        if op:
            text = self._converting(node, text)
            text, forms = self._dialect.finished(text, self.chooser.about("arguments of", _first_result(node)))
            self._forms += [(node.qualified, form) for form in forms]
            text = self._with_module(node, text)
            text = self._with_number_arguments(node, text)
        if self._memory and self._memory.holds(number, text):
            return
        targets = ", ".join(self.names[name] if name else "_" for name in node.outputs)
        comma = "," if op and "results" in op.variadic and len(node.outputs) == 1 else ""
        read = [place for place, name in enumerate(node.outputs) if name and self._uses[name]]
        if len(read) == 1 < len(node.outputs) and self.chooser.about("one of", node.outputs[read[0]]).chance(_ONE):
            targets, text = self.names[node.outputs[read[0]]], f"{text}[{read[0]}]"
            self._forms.append((node.qualified, "one of its results"))
        self._body.append(f"{targets}{comma} = {text}")

    def _converting(self, node: Node, text: str) -> str:
        promotion, first = self._dialect.promotion, next(iter(node.inputs), "")
        origin = self._uncast.get(first)
        if not promotion or not origin or not promotion.converts(node, self.graph.types[origin]):
            return text
        return promotion.typed(text, self.names[origin], self.graph.types[first].dtype)

    def _with_module(self, node: Node, text: str) -> str:
        applied = _MODULE_CALL.fullmatch(text)
        if not applied:
            return text
        name = _first_result(node)
        attribute = f"m_{self.names[name]}"  # no attribute of a framework's module starts like this
        self._setup[name] = f"self.{attribute} = {applied[1]}"
        return f"self.{attribute}({applied[2]})"

    def _with_number_arguments(self, node: Node, text: str) -> str:
        if not self._dialect.number_arguments:
            return text
        draws = self.chooser.about("number arguments of", _first_result(node))
        return self._dialect.number_arguments(text, draws, self._number_argument)

    def _number_argument(self, value: np.ndarray) -> str:
        name = f"local_number_{len(self._number_arguments)}"  # no value of the graph has such a name
        self._number_arguments[name] = key = array_key(value)
        self._arrays[key] = value
        self._parameters.append(name)
        self._idioms["a number as an argument"] += 1
        return name

    def _spell(self, node: Node, op: Op) -> str | Unsupported:
        draws = self.chooser.about("operator of", _first_result(node))
        names = self._operand_names(node)
        call = Call(
            self._operands(node, op),
            [self.graph.types[name].guarded() for name in names],
            [self.graph.types[name].guarded() for name in node.outputs if name],
            node.attrs,
            draws,
            self.let,
            self.emit,
            [self._is_own(name) for name in names],
        )
        texts = self._dialect.texts(op)
        if isinstance(texts, Unsupported):
            return texts
        if not isinstance(texts, tuple):
            text = texts(call)
            if not isinstance(text, tuple):
                return text
            texts = text
        allowed = [t for t in texts if not _IN_PLACE.search(t)]
        if self._begins_with_number(node):
            allowed = [t for t in texts if _BETWEEN.fullmatch(t)]
        elif self._may_overwrite(node, call) and draws.chance(_OVERWRITE, plain=False):
            allowed = [t for t in texts if _IN_PLACE.search(t)] or allowed
        elif call.types[0] == call.results[0] and draws.chance(_ON_A_COPY):
            copied = replace(call, x=(f"{call.x[0]}.clone()", *call.x[1:]))
            written = [copied.fill(t) for t in texts if _IN_PLACE.search(t)]
            if written:
                return draws.choice(written)
        template = draws.choice(allowed)
        if not _IN_PLACE.search(template):
            return call.fill(template)
        self._idioms["in place"] += 1
        return self._by_statements(node, template, call) or call.fill(template)

    def _by_statements(self, node: Node, template: str, call: Call) -> str | None:
        """Sometimes overwrite the first operand by other statements; then return its text."""
        form = self._dialect.overwrite(template, call, self.chooser.about("views of", _first_result(node)))
        if form is None:
            return None
        if " " in form:
            self._idioms[form] += 1
        self._forms.append((node.qualified, form))
        return call.x[0]

    def emit(self, line: str) -> None:
        """Add a statement."""
        self._body.append(line)

    def let(self, text: str) -> str:
        """Add a statement that names a value; return the name."""
        self._locals += 1
        name = f"local_{self._locals}"
        self._body.append(f"{name} = {text}")
        return name

    def _operands(self, node: Node, op: Op) -> list[str]:
        names = self._operand_names(node)
        texts: list[str] = []
        result = self.graph.types[node.outputs[0]] if node.outputs[0] else None
        number = self._number_operand(node, names)
        for position, name in enumerate(names):
            if name == number:
                text = self.numbers[name]
                texts.append(f"({text})" if position == 0 and text.startswith("-") else text)
                continue
            text = self.tensor(name)
            broadcasts = op.elementwise and result and result.known and self.graph.types[name].shape != result.shape
            draws = self.chooser.about(f"operand {position} of", _first_result(node))
            if result and broadcasts and draws.chance(_EXPLICIT_BROADCAST):
                text = self._dialect.broadcast.format(x=text, shape=result.shape)
                self._idioms["explicit broadcast"] += 1
            texts.append(text)
        return texts

    def _number_operand(self, node: Node, names: Sequence[str]) -> str | None:
        """Return the operand that may be a number: a uniform constant whose shape broadcasts to the other operand's."""
        op = entry(node)
        if not op or len(names) != 2 or (names[0] in self.numbers) == (names[1] in self.numbers):
            return None
        number, other = names if names[0] in self.numbers else names[::-1]
        suits = names.index(number) in op.numbers
        fits = self.graph.types[other].shape == self.graph.types[node.outputs[0]].shape
        draws = self.chooser.about("number in", _first_result(node))
        return number if suits and fits and draws.chance(_NUMBER_OPERAND) else None

    def _begins_with_number(self, node: Node) -> bool:
        names = self._operand_names(node)
        return bool(names) and self._number_operand(node, names) == names[0]

    def _may_overwrite(self, node: Node, call: Call) -> bool:
        """Return whether nothing else can see the first operand, and the result fits into it."""
        name = node.inputs[0] if node.inputs else ""
        alone = self._is_own(name) and self._uses[name] == 1 and name not in self._uncast
        return alone and call.x[0] == self.names[name] and call.types[0] == call.results[0]

    def _is_own(self, name: str) -> bool:
        """Return whether a value has its own memory, not shared with other values except by overwriting."""
        return name in self.fresh and not (self._memory and self._memory.is_shared(name))

    def _implicit_casts(self, promotion: Promotion) -> dict[str, str]:
        """Choose the casts that are left out, because what reads them casts by itself: results and their operands."""
        found: dict[str, str] = {}
        casts = {node.outputs[0]: node for node in self.graph.nodes if node.qualified == primitives.CAST}
        for node in self.graph.nodes:
            op = entry(node)
            alike = [name for i, name in enumerate(node.inputs) if op and op.variable(i) == op.inputs[-1]]
            kept: set[str] = set()
            for name in alike:
                if name not in casts or name in kept or self._uses[name] != 1:
                    continue
                origin = casts[name].inputs[0]
                if origin in found or origin in self.graph.constants:
                    continue
                cast, draws = self.graph.types[origin], self.chooser.about("cast", name)
                converts = name == node.inputs[0] and promotion.converts(node, cast)
                others = [o for o in alike if o != name and o not in found and o not in self.graph.constants]
                other = next((o for o in others if promotion.promotes(node, cast, self.graph.types[o])), "")
                if (converts or other) and draws.chance(_IMPLICIT_CAST):
                    found[name] = origin
                    kept.add(other)
                    self._idioms["implicit conversion" if converts else "implicit promotion"] += 1
        return found

    # --- shape of the program ----------------------------------------------------------------------------------------

    def _outline(self, nodes: Sequence[Node]) -> Outline | None:
        """Sometimes return a part with an input, as a model for new tensors; None if the program updates inputs."""
        if self._memory:
            return None
        outline = choose(replace(self.graph, nodes=tuple(self._as_read(nodes))), self.chooser)
        return outline if outline and outline.part.graph.inputs else None

    def _as_read(self, nodes: Sequence[Node]) -> list[Node]:
        return [replace(node, inputs=tuple(self._operand_names(node))) for node in nodes]

    def _outlined(self, nodes: Sequence[Node], outline: Outline) -> tuple[list[str], list[list[str]]]:
        """Write a part as a function: return the statement that calls it, and the members that it adds to the class.

        A member is a method, a class whose module an attribute holds, or a method that contains the function.
        """
        part, calling = outline.part.graph, outline.calling
        self._begin_function([*part.inputs, *(name for name in part.constants if name in self._arguments)])
        for number in sorted(outline.part.nodes):
            self._node(nodes[number])
        self._idioms[calling.value] += 1
        targets, arguments = ", ".join(self.names[n] for n in part.outputs), ", ".join(self._parameters)
        targets += "," if len(part.outputs) == 1 else ""
        parameters = ["self", *self._parameters]
        draws = self.chooser.about("decorators")
        decorator, other = (draws.choice(self._dialect.decorators) for _ in range(2))
        other = self._dialect.of_methods.get(other, other)
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
        part = outline.part.graph
        if not self.chooser.about("module").chance(_MODULE):
            return self._function(_PART, part.outputs, decorator)
        self._idioms["a module of its own"] += 1
        results = {name for number in outline.part.nodes for name in nodes[number].outputs}
        others = (name for number in (*outline.before, *outline.after) for name in nodes[number].inputs)
        shared = {*others, *self.graph.outputs} - results
        weights = {name: text for name, text in self._setup.items() if name in results or name in part.constants}
        self._setup = {name: text for name, text in self._setup.items() if name in shared or name not in weights}
        self._setup[_PART] = f"self.{_PART} = self.{_PART.title()}(arrays)"
        method = self._function(self._dialect.method, part.outputs, decorator)
        return model_class(_PART.title(), self._dialect.base, weights.values(), [method])

    def _operand_names(self, node: Node) -> list[str]:
        return [self._uncast.get(name, name) for name in node.inputs if name]

    def _further_results(self) -> list[str]:
        """Sometimes return an intermediate value that the outermost function can name and nothing has overwritten."""
        outer = "\n".join(self._body)
        names = {name: self.names[name] for node in self.graph.nodes for name in node.outputs if name}
        inner = [
            name
            for name, text in names.items()
            if name not in self.graph.outputs
            and name not in self._uncast
            and self._uses[name] > 0
            and re.search(rf"(^|\n|, ){re.escape(text)}(,| =)", outer)
        ]
        if self._idioms["in place"] or self._memory:
            return []
        return further_result(inner, self.chooser, _FURTHER_RESULT, self._idioms)


def _first_result(node: Node) -> str:
    return next(filter(None, node.outputs))


def _fresh_results(graph: Graph) -> set[str]:
    """Return the values with memory of their own: the results of operators that compute every element."""
    fresh: set[str] = set()
    for node in graph.nodes:
        op = entry(node)
        if op and op.fresh:
            fresh.update(node.outputs)
    return fresh
