"""Unchanged TensorFlow functions, printed as independent source from their traces. This file needs TensorFlow.

Every operation of the trace becomes a call of ``tf.raw_ops`` with the operation's own attributes. Functions that the
function calls become methods; loops and branches become ``tf.while_loop`` and ``tf.cond``. Variables and larger
constants become named arrays.
"""

from __future__ import annotations

import inspect
import itertools
import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import tensorflow as tf

from polyjuice.execution import Artifact
from polyjuice.frameworks.errors import FormatError, refused
from polyjuice.frameworks.python_text import array_key, function, model_class
from polyjuice.frameworks.user_model import NotCaptured, UserModel, unread
from polyjuice.ir import TensorType, dtypes
from polyjuice.ops.text import written

_LITERAL = 16
"""The most elements of a constant that is written into the source."""

_HANDLE = ".handle"
"""The suffix of the expression for a variable's resource."""

_SILENT = ("NoOp", "Assert", "PrintV2")
"""Operations without results, whose effects are not compared."""

_READING = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape")
"""Operations that TensorFlow calls stateful, but that only read a variable."""

_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_LOOPS = ("While", "StatelessWhile")
_BRANCHES = ("If", "StatelessIf")


def capture(call: Callable[..., Any], inputs: Sequence[tf.Tensor]) -> tuple[Artifact, list[tf.Tensor]]:
    """Return the source of a function for inputs like these, and its flattened, uncompiled results for them.

    ``call`` takes the tensors one by one. The source has been run, and its results were equal, bit for bit. Raises
    NotCaptured, and any error of the function itself.
    """
    with _quiet():
        wanted = _eagerly(call, inputs)  # first: a Keras layer creates its variables in its first call
        specs = [tf.TensorSpec(x.shape, x.dtype, f"x{n}") for n, x in enumerate(inputs)]
        traced = tf.function(call).get_concrete_function(*specs)
    writer = _Writer(traced)
    artifact = Artifact(format="tensorflow", source=writer.source(), arrays=writer.arrays, idioms=("as given",))
    try:
        found = run(artifact, inputs)
    except Exception as error:
        raise NotCaptured(f"its source fails: {error}") from error
    if not _equal(found, wanted):
        raise NotCaptured("its source gives other results than the function")
    return artifact, wanted


def run(artifact: Artifact, inputs: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    assert isinstance(artifact.source, str)
    module = ModuleType("given")
    exec(artifact.source, module.__dict__)
    model = module.Model({name: tf.constant(array) for name, array in artifact.arrays.items()})
    return _eagerly(model, inputs)


def array_of(tensor: tf.Tensor) -> np.ndarray:
    """Return a tensor's values. Raises TypeError if the IR lacks the type."""
    if tensor.dtype.name not in dtypes.ALL:
        raise TypeError(f"{tensor.dtype.name} is not supported")
    return np.array(tensor.numpy())


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence TensorFlow's advice on the function's style."""
    logger = tf.get_logger()
    before = logger.level
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logger.setLevel(before)


def _eagerly(call: Callable[..., Any], inputs: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    try:
        results = tf.nest.flatten(call(*inputs), expand_composites=True)
    finally:
        tf.config.run_functions_eagerly(before)
    return [tf.convert_to_tensor(result) for result in results if result is not None]


def _equal(found: Sequence[tf.Tensor], wanted: Sequence[tf.Tensor]) -> bool:
    def same(a: tf.Tensor, b: tf.Tensor) -> bool:
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            return False
        x, y = np.asarray(a.numpy()), np.asarray(b.numpy())
        return bool(((x == y) | ((x != x) & (y != y))).all())

    return len(found) == len(wanted) and all(map(same, found, wanted))


@dataclass(frozen=True)
class _Method:
    name: str
    bound: tuple[str | None, ...]
    """For each parameter, the resource that replaces it, or None if it stays a parameter."""
    outputs: tuple[str, ...]

    def taken(self, values: Sequence[str]) -> list[str]:
        return [value for value, resource in zip(values, self.bound, strict=True) if resource is None]


class _Writer:
    def __init__(self, traced: Any) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._traced = traced
        self._setup: list[str] = []
        self._members: list[Sequence[str]] = []
        self._methods: dict[tuple[str, tuple[str | None, ...]], _Method] = {}
        self._attributes = set(dir(tf.Module)) | {"__call__"}

    def source(self) -> str:
        graph = self._traced.graph
        variables = {id(variable.handle): variable for variable in graph.variables}
        names = {}
        captured = {inner.name: outer for outer, inner in graph.captures}
        for name, outer in captured.items():
            variable = variables.get(id(outer))
            if variable is not None:
                names[name] = self._variable(variable)
            elif outer.dtype in (tf.resource, tf.variant, tf.string):
                raise NotCaptured("it holds an object that is neither a variable nor an array")
            else:
                names[name] = self._kept("constant", array_of(outer), 'arrays["{}"]')
        places = [place for place in graph.inputs if place.name not in captured]
        parameters, body, results = self._body(graph, places, names)
        call = function("__call__", ["self", *parameters], [*body, f"return ({', '.join(results)},)"])
        model = model_class("Model", "tf.Module", self._setup, [*self._members, call])
        return "\n".join(["import tensorflow as tf", "", "", *model, ""])

    def _variable(self, variable: tf.Variable) -> str:
        name = variable.name.partition(":")[0].rpartition("/")[2]
        return self._kept(name, array_of(variable.value()), 'tf.Variable(arrays["{}"], trainable=False)') + _HANDLE

    def _kept(self, name: str, array: np.ndarray, made: str) -> str:
        key = array_key(array)
        self.arrays[key] = array
        attribute = _fresh(f"w_{_plain(name)}", self._attributes)
        self._setup.append(f"self.{attribute} = {made.format(key)}")
        return f"self.{attribute}"

    def _body(
        self, graph: Any, places: Sequence[Any], known: Mapping[str, str]
    ) -> tuple[list[str], list[str], list[str]]:
        """Return parameters, statements and results of a function of the trace. ``known`` values are not parameters."""
        body = _Body(self, {"self", "tf", "float"}, dict(known))
        parameters = [body.named(place.name, place.op.name) for place in places]
        lines = [line for operation in graph.get_operations() for line in body.statements(operation)]
        return parameters, lines, [body.names[output.name] for output in graph.outputs]

    def method(
        self, graph: Any, name: str, values: Sequence[str], decorator: str = "", scalar: bool = False
    ) -> _Method:
        """Return the method for a function called with these values. With ``scalar`` it returns no list."""
        bound = tuple(value if value.endswith(_HANDLE) else None for value in values)
        if (name, bound) not in self._methods:
            known = {place.name: value for place, value in zip(graph.inputs, bound, strict=True) if value}
            places = [place for place in graph.inputs if place.name not in known]
            parameters, lines, results = self._body(graph, places, known)
            returned = [result for result in results if not result.endswith(_HANDLE)]
            attribute = _fresh(_plain(re.sub(r"^__(inference|forward)_|_\d+$", "", name)), self._attributes)
            text = returned[0] if scalar else f"[{', '.join(returned)}]"
            self._members.append(function(attribute, ["self", *parameters], [*lines, f"return {text}"], decorator))
            self._methods[name, bound] = _Method(attribute, bound, tuple(results))
        return self._methods[name, bound]

    def constant(self, name: str, array: np.ndarray) -> str:
        dtype = dtypes.dtype_of(array)
        if 0 < array.size <= _LITERAL:
            values = array.astype(np.float64) if dtypes.is_float(dtype) else array
            return f"tf.constant({_text(values.tolist())}, dtype=tf.{dtype})"
        attribute = self._kept(name, array, 'arrays["{}"].numpy()')
        return f"tf.constant({attribute})"


class _Body:
    def __init__(self, writer: _Writer, taken: set[str], names: dict[str, str]) -> None:
        self._writer = writer
        self._taken = taken
        self.names = names
        """The expression for each tensor, by its name."""

    def named(self, tensor: str, wish: str) -> str:
        self.names[tensor] = _fresh(_plain(wish.rpartition("/")[2]), self._taken)
        return self.names[tensor]

    def statements(self, op: Any) -> Iterator[str]:
        """Yield the statement of an operation; none if it only renames a value."""
        if op.type in ("Placeholder", *_SILENT):
            return
        if op.type == "Const":
            if op.outputs[0].dtype.name in dtypes.ALL:  # others may be the message of an assertion
                array = tf.make_ndarray(op.get_attr("value"))
                yield f"{self._result(op)} = {self._writer.constant(op.name.rpartition('/')[2], array)}"
            return
        missing = [tensor.dtype.name for tensor in op.inputs if tensor.name not in self.names]
        if missing:
            raise NotCaptured(f"{op.type} takes a constant of type {missing[0]}")
        values = [self.names[tensor.name] for tensor in op.inputs]
        if op.type == "Identity":
            self.names[op.outputs[0].name] = values[0]
        elif op.type == "ReadVariableOp":
            yield f"{self._result(op)} = {values[0].removesuffix(_HANDLE)}.value()"
        elif op.type in _CALLS:
            yield from self._call(op, values)
        elif op.type in _LOOPS:
            yield from self._loop(op, values)
        elif op.type in _BRANCHES:
            yield from self._branch(op, values)
        else:
            yield from self._operation(op, values)

    def _result(self, op: Any) -> str:
        return self.named(op.outputs[0].name, op.name)

    def _operation(self, op: Any, values: Sequence[str]) -> Iterator[str]:
        if "Random" in op.type or "Multinomial" in op.type:
            raise NotCaptured("it draws random numbers")
        if op.op_def.is_stateful and op.type not in _READING:
            raise NotCaptured(f"{op.type} reads or changes a state")
        raw = getattr(tf.raw_ops, op.type, None)
        if raw is None:
            raise NotCaptured(f"tf.raw_ops has no {op.type}")
        parameters = inspect.signature(raw).parameters
        arguments = [f"{name}={text}" for name, text in _inputs(op, values, parameters)]
        arguments += [f"{name}={text}" for name, text in _attributes(op, parameters)]
        expression = f"tf.raw_ops.{op.type}({', '.join(arguments)})"
        (first, *others) = op.op_def.output_arg
        if others:
            base = _fresh(_plain(op.name.rpartition("/")[2]), self._taken)
            places = [text for arg in op.op_def.output_arg for text in _elements(op, arg, f"{base}.{arg.name}")]
            self.names.update({tensor.name: text for tensor, text in zip(op.outputs, places, strict=True)})
            yield f"{base} = {expression}"
            return
        name = self._result(op)
        for tensor, text in zip(op.outputs, _elements(op, first, name), strict=True):
            self.names[tensor.name] = text
        # Some operations return float32 for any operands. The cast lets the float64 program continue in float64.
        yield f"{name} = tf.cast({expression}, tf.float32)" if first.type == tf.float32 else f"{name} = {expression}"

    def _call(self, op: Any, values: Sequence[str]) -> Iterator[str]:
        compiled = "jit_compile=True, " if _flag(op, "_XlaMustCompile") else ""
        method = self._method(op, "f", values, f"@tf.function({compiled}autograph=False)")
        base = _fresh(_plain(op.name.rpartition("/")[2]), self._taken)
        yield f"{base} = self.{method.name}({', '.join(method.taken(values))})"
        self._take(op, method, [f"{base}[{n}]" for n in range(len(op.outputs))])

    def _loop(self, op: Any, values: Sequence[str]) -> Iterator[str]:
        condition = self._method(op, "cond", values, scalar=True)
        method = self._method(op, "body", values)
        base = _fresh("loop", self._taken)
        state = ", ".join(method.taken(values))
        yield f"{base} = tf.while_loop(self.{condition.name}, self.{method.name}, [{state}])"
        self._take(op, method, [f"{base}[{n}]" for n in range(len(op.outputs))])

    def _branch(self, op: Any, values: Sequence[str]) -> Iterator[str]:
        condition, *arguments = values
        if op.inputs[0].dtype != tf.bool:
            raise NotCaptured("a condition is not a bool")
        ways = [self._method(op, name, arguments) for name in ("then_branch", "else_branch")]
        if any(result.endswith(_HANDLE) for way in ways for result in way.outputs):
            raise NotCaptured("a branch returns a variable")
        if not op.outputs:
            return
        base = _fresh("chosen", self._taken)
        calls = [f"lambda: self.{way.name}({', '.join(way.taken(arguments))})" for way in ways]
        yield f"{base} = tf.cond({condition}, {', '.join(calls)})"
        self._take(op, ways[0], [f"{base}[{n}]" for n in range(len(op.outputs))])

    def _take(self, op: Any, method: _Method, places: Sequence[str]) -> None:
        """Name the results of a method, which returns no variables."""
        rest = iter(places)
        for tensor, output in zip(op.outputs, method.outputs, strict=True):
            self.names[tensor.name] = output if output.endswith(_HANDLE) else next(rest)

    def _method(
        self, op: Any, attribute: str, values: Sequence[str], decorator: str = "", scalar: bool = False
    ) -> _Method:
        name = op.get_attr(attribute).name
        called = op.graph._get_function(name)
        if called is None or not hasattr(called, "graph"):
            raise NotCaptured(f"the graph of {name} is not known")
        return self._writer.method(called.graph, name, values, decorator, scalar)


def _inputs(op: Any, values: Sequence[str], parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the arguments of ``tf.raw_ops``, which has other names for some operands, in the same order."""
    declared = {arg.name for arg in op.op_def.input_arg} | {attr.name for attr in op.op_def.attr} | {"name"}
    others = iter([name for name in parameters if name not in declared])
    rest = iter(values)
    for arg in op.op_def.input_arg:
        name = arg.name if arg.name in parameters else next(others, "")
        if not name:
            raise NotCaptured(f"the arguments of tf.raw_ops.{op.type} are not known")
        count = _count(op, arg)
        yield name, next(rest) if count is None else f"[{', '.join(next(rest) for _ in range(count))}]"


def _count(op: Any, arg: Any) -> int | None:
    """Return how many tensors an argument or a result of an operation has, if it is a list; else None."""
    if arg.number_attr:
        return int(op.get_attr(arg.number_attr))
    return len(op.get_attr(arg.type_list_attr)) if arg.type_list_attr else None


def _elements(op: Any, arg: Any, text: str) -> list[str]:
    count = _count(op, arg)
    return [text] if count is None else [f"{text}[{n}]" for n in range(count)]


def _attributes(op: Any, parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield attributes that differ from the default, and all types, so that they can be replaced."""
    held = op.node_def.attr
    for name, parameter in parameters.items():
        if name in held:
            value = _value(held[name])
            default = parameter.default
            if default is parameter.empty or isinstance(default, tf.DType) or value != _text(default):
                yield name, value


def _value(held: Any) -> str:
    kind = held.WhichOneof("value")
    if kind == "list":
        fields = held.list.ListFields()
        return f"[{', '.join(_one(field.name, item) for field, items in fields for item in items)}]"
    return _one(kind, getattr(held, kind))


def _one(kind: str, value: Any) -> str:
    match kind:
        case "b" | "i" | "f":
            return _text(value)
        case "s":
            return repr(value.decode())
        case "type":
            return f"tf.{tf.as_dtype(value).name}"
        case "shape":
            shape = tf.TensorShape(value)
            return "None" if shape.rank is None else str(shape.as_list())
    raise NotCaptured(f"an attribute is a {kind}")


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, tf.DType):
        return f"tf.{value.name}"
    return repr(written(value))


def _flag(op: Any, name: str) -> bool:
    return name in op.node_def.attr and bool(op.node_def.attr[name].b)


def _plain(name: str) -> str:
    clean = re.sub(r"\W", "_", name).strip("_").lower()
    return clean if clean.isidentifier() and not keyword.iskeyword(clean) else f"v_{clean}"


def _fresh(name: str, taken: set[str]) -> str:
    numbered = (name if number == 1 else f"{name}_{number}" for number in itertools.count(1))
    free = next(candidate for candidate in numbered if candidate not in taken)
    taken.add(free)
    return free


# --- programs ---------------------------------------------------------------------------------------------------------


def from_function(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    where: str = "function",
) -> UserModel:
    """Return the program of a function, a ``tf.function``, a ``tf.Module`` or a layer, for inputs of these types.

    The graph is unread. The tensors and arrays among the arguments are its inputs, in the order of ``tf.nest.flatten``.
    Other arguments are fixed. ``where`` is the prefix of messages. Raises FormatError.
    """
    example = (args, dict(kwargs or {}))
    values = tf.nest.flatten(example)
    places = [n for n, value in enumerate(values) if tf.is_tensor(value) or isinstance(value, np.ndarray)]
    if not places:
        raise FormatError(
            f"{where}: the model is no torch.nn.Module, and no argument is a TensorFlow tensor or a NumPy array"
        )
    with refused(f"{where}: the inputs are no tensors"):
        inputs = [tf.convert_to_tensor(values[n]) for n in places]

    def call(*tensors: tf.Tensor) -> Any:
        passed = list(values)
        for n, tensor in zip(places, tensors, strict=True):
            passed[n] = tensor
        arguments, named = tf.nest.pack_sequence_as(example, passed)
        return function(*arguments, **named)

    with refused(f"{where}: TensorFlow cannot trace the function"):
        try:
            examples = tuple(map(array_of, inputs))
            artifact, results = capture(call, inputs)
            graph = unread(list(map(_type, inputs)), list(map(_type, results)))
        except (NotCaptured, TypeError) as error:
            lines = str(error).strip().splitlines()
            raise FormatError(f"{where}: the function cannot be compiled as it is: {lines[0]}") from None
    return UserModel(graph=graph, artifact=artifact, examples=examples)


def _type(tensor: tf.Tensor) -> TensorType:
    array_of(tensor)
    return TensorType(tensor.dtype.name, tuple(tensor.shape))
