"""Print a Torch module, as torch.compile sees it, as independent source.

Dynamo traces the module at the level of Torch's own functions and methods, before any decomposition. The graph that it
passes to a backend is printed statement by statement: views, in-place operators and intermediate tensors stay the same.
Parameters, buffers and other tensors of the module become named arrays. Those that the module writes become further
arguments of the program. Their final contents are further results, like those of inputs that it writes.
"""

from __future__ import annotations

import ast
import copy
import re
import warnings
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType, ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import torch
from torch.utils import _pytree

from polyjuice.execution import Artifact
from polyjuice.frameworks.python_text import Renamed, array_key, function, model_class
from polyjuice.frameworks.user_model import NotCaptured
from polyjuice.ir import dtypes

_ADDED = re.compile(r"^[lL]_|(?<![a-z])(self|modules|parameters|buffers)_+")
"""The additions of Dynamo to the names of inputs and of a module's tensors."""

_NAMED = {"device": "torch.device", "inf": 'float("inf")', "nan": 'float("nan")', "NoneType": "type(None)"}
"""Names that only FX uses, and their text in a program that imports only Torch."""


def capture(
    model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], dynamic: Sequence[tuple[int, int]] = ()
) -> Artifact:
    """Return the source of a module for inputs like these. It takes and returns the tensors among them, flattened.

    After the module's own results come the inputs that it writes, in order, and then its tensors that it writes, by
    name. ``dynamic`` lists axes, as the number of an input and of its axis, whose sizes the source must read off its
    inputs. The source has been run, and its results were equal to the module's, bit for bit. Raises NotCaptured.
    """
    try:
        with warnings.catch_warnings(), torch.random.fork_rng(devices=()), torch.no_grad():
            warnings.simplefilter("ignore")
            artifact, inputs, wanted = _captured(model, args, kwargs, dynamic)
            torch.manual_seed(0)
            found = run(artifact, copies(inputs))
            torch.manual_seed(1)
            other = run(artifact, inputs)
    except NotCaptured:
        raise
    except Exception as error:
        raise NotCaptured(str(error)) from error
    if not _equal(found, wanted):
        raise NotCaptured("its source gives other results than the module")
    if not _equal(found, other):
        raise NotCaptured("it draws random numbers")
    return artifact


def run(artifact: Artifact, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Run the source of an artifact, uncompiled; return its results and the tensors that it writes (see `capture`)."""
    arguments = [*inputs, *(tensor_of(artifact.arrays[name]) for name in artifact.arguments)]
    results = list(model_of(artifact)(*arguments))
    for place, number in artifact.setup.get("updates", ()):
        results.insert(place, arguments[number])
    return results


def model_of(artifact: Artifact, names: Mapping[str, Any] = MappingProxyType({})) -> torch.nn.Module:
    """Return the module that the source of an artifact defines. The source may use further global ``names``."""
    assert isinstance(artifact.source, str)
    module = ModuleType("given")
    module.__dict__.update(names)
    exec(artifact.source, module.__dict__)
    model: torch.nn.Module = module.Model({name: tensor_of(array) for name, array in artifact.arrays.items()})
    return model


def tensors(values: Any) -> list[torch.Tensor]:
    """Return the tensors among nested values, in the order of ``torch.export``'s inputs and outputs."""
    return [value for value in _pytree.tree_leaves(values) if isinstance(value, torch.Tensor)]


def array_of(tensor: torch.Tensor) -> np.ndarray:
    """Return a tensor's values. Raises TypeError if the IR lacks the type."""
    tensor = tensor.detach().cpu().contiguous()
    if str(tensor.dtype).removeprefix("torch.") not in dtypes.ALL:
        raise TypeError(f"{tensor.dtype} is not supported")
    if tensor.dtype == torch.bfloat16:
        return np.asarray(tensor.view(torch.int16).numpy()).view(ml_dtypes.bfloat16)
    return np.array(tensor.numpy())


def tensor_of(array: np.ndarray) -> torch.Tensor:
    """Return an array as a tensor: the inverse of :func:`array_of`."""
    if dtypes.dtype_of(array) == "bfloat16":
        return torch.tensor(array.view(np.int16)).view(torch.bfloat16)
    return torch.tensor(array)


def _captured(
    model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any], dynamic: Sequence[tuple[int, int]]
) -> tuple[Artifact, list[torch.Tensor], list[torch.Tensor]]:
    """Return the artifact, copies of the input tensors, and the tensors that the module returns and writes."""
    model = copy.deepcopy(model)  # a run may change its tensors
    arguments = copies((args, dict(kwargs)))
    recorder = _Recorder()
    torch._dynamo.reset()
    torch.manual_seed(0)
    args, named = copies(arguments)
    inputs = tensors((args, named))
    for number, axis in dynamic:
        torch._dynamo.maybe_mark_dynamic(inputs[number], axis)
    result = torch.compile(model, backend=recorder, fullgraph=True, dynamic=False)(*args, **named)
    torch._dynamo.reset()
    results = tensors(result)
    layouts = [layout_of(tensor) for tensor in inputs]
    setup: dict[str, Any] = {"layouts": layouts} if {*layouts} - {"contiguous"} else {}
    held = [*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)]
    writer = _Writer(recorder, inputs, results, {id(tensor): name for name, tensor in held})
    source = writer.source()
    if writer.updates:
        setup["updates"] = [[len(results) + place, number] for place, number in enumerate(writer.updates)]
    artifact = Artifact(
        format="torch", source=source, arrays=writer.arrays, arguments=writer.further, setup=setup, idioms=("as given",)
    )
    return artifact, tensors(arguments), [*results, *writer.written]


def copies(values: Any) -> Any:
    """Return nested values with copies of their tensors, which keep their layout."""
    return _pytree.tree_map(lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v, values)


def layout_of(tensor: torch.Tensor) -> str:
    """Return an input's layout in memory, under its name in the Torch compilers."""
    if tensor.is_contiguous():
        return "contiguous"
    if tensor.permute(*reversed(range(tensor.ndim))).is_contiguous():
        return "transposed"
    last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(tensor.ndim)
    return "channels_last" if last and tensor.is_contiguous(memory_format=last) else "contiguous"


def _equal(found: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor]) -> bool:
    def same(a: torch.Tensor, b: torch.Tensor) -> bool:
        nan = a.is_floating_point() or a.is_complex()
        return a.dtype == b.dtype and a.shape == b.shape and torch.allclose(a, b, 0, 0, equal_nan=nan)

    return len(found) == len(wanted) and all(map(same, found, wanted))


@dataclass(kw_only=True)
class _Recorder:
    """A backend of torch.compile that records its only graph, the arguments and the results."""

    graph: torch.fx.Graph | None = None
    arguments: list[Any] = field(default_factory=list)
    before: list[Any] = field(default_factory=list)
    """The arguments' values before the run."""
    changed: list[bool] = field(default_factory=list)
    """Whether the run wrote into each argument, judged by its version, or by its value if a kernel left the version."""
    results: list[Any] = field(default_factory=list)

    def __call__(self, module: torch.fx.GraphModule, examples: Sequence[Any]) -> Any:
        self.graph = module.graph

        def run(*arguments: Any) -> Any:
            if not all(isinstance(argument, torch.Tensor | int) for argument in arguments):
                raise NotCaptured("an argument of its graph is neither a tensor nor a size")
            self.arguments = list(arguments)
            self.before = [copies(argument) for argument in arguments]
            versions = [getattr(argument, "_version", 0) for argument in arguments]
            self.results = list(module(*arguments))
            kept = zip(arguments, versions, self.before, strict=True)
            self.changed = [
                isinstance(a, torch.Tensor) and (a._version != version or not _equal([a], [value]))
                for a, version, value in kept
            ]
            return tuple(self.results)

        return run


class _Writer:
    def __init__(
        self,
        recorded: _Recorder,
        inputs: Sequence[torch.Tensor],
        results: Sequence[torch.Tensor],
        held: Mapping[int, str],
    ) -> None:
        """``results`` are what the module returned; ``held`` maps ids of its parameters and buffers to names."""
        if recorded.graph is None:
            raise NotCaptured("it computes nothing")
        self.arrays: dict[str, np.ndarray] = {}
        self.further: tuple[str, ...] = ()
        """The keys of the arrays that are further arguments: the module's tensors that it writes."""
        self.written: list[torch.Tensor] = []
        """The arguments that the program writes, with their final contents. ``updates`` are their numbers."""
        self.updates: list[int] = []
        self._recorded = recorded
        self._graph = recorded.graph
        self._inputs = inputs
        self._results = results
        self._held = held
        self._setup: list[str] = []
        self._names: dict[str, str] = {}
        """The replacement of each name of the graph: an identifier, or an attribute of the model."""
        self._taken = {"self", "torch", "arrays", *(node.name for node in self._graph.nodes)}

    def source(self) -> str:
        places = [node for node in self._graph.nodes if node.op == "placeholder"]
        parameters = [self._fresh(f"x{n}") for n in range(len(self._inputs))]
        recorded = self._recorded
        values = zip(places, recorded.arguments, recorded.before, recorded.changed, strict=True)
        written: dict[int, torch.Tensor] = {}
        further: list[tuple[str, str, torch.Tensor, torch.Tensor]] = []
        for place, argument, before, changed in values:
            target = str(place.target)
            if isinstance(argument, int):
                continue
            number = _index(self._inputs, argument)
            if number is None and changed:
                further.append((self._held.get(id(argument), target), target, argument, before))
                continue
            if number is None:
                self._names[target] = self._kept(_plain(target), before, isinstance(argument, torch.nn.Parameter))
                continue
            if parameters[number] == f"x{number}" and _plain(target) not in self._taken:
                parameters[number] = self._fresh(_plain(target))
            self._names[target] = parameters[number]
            if changed:
                written[number] = argument
        for _, target, argument, before in sorted(further, key=lambda one: one[0]):
            written[len(parameters)] = argument
            self._names[target] = self._fresh(_plain(target))
            parameters.append(self._names[target])
            self.further += (self._stored(before),)
        self.updates, self.written = sorted(written), [written[number] for number in sorted(written)]
        for place, argument in zip(places, recorded.arguments, strict=True):
            if isinstance(argument, int):
                self._names[str(place.target)] = self._size(place, places)
        statements = list(self._statements())  # this also names the results
        returned = "".join(f"{self._returned(result, parameters)}, " for result in self._results)
        forward = function("forward", ["self", *parameters], [*statements, f"return ({returned.strip()})"])
        return "\n".join(["import torch", "", "", *model_class("Model", "torch.nn.Module", self._setup, [forward]), ""])

    def _size(self, wanted: torch.fx.Node, places: Sequence[torch.fx.Node]) -> str:
        """Return the expression for a size that Dynamo passes: the size of an input's axis. Raises NotCaptured."""
        symbol = str(wanted.meta["example_value"])
        for place, argument in zip(places, self._recorded.arguments, strict=True):
            if _index(self._inputs, argument) is not None:
                for axis, size in enumerate(place.meta["example_value"].shape):
                    if str(size) == symbol:
                        return f"{self._names[str(place.target)]}.size({axis})"
        raise NotCaptured(f"{wanted.target} is the size of no input")

    def _fresh(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _kept(self, name: str, value: torch.Tensor, parameter: bool) -> str:
        attribute = self._fresh(f"w_{name}")
        text = f'arrays["{self._stored(value)}"]'
        if parameter:
            self._setup.append(f"self.{attribute} = torch.nn.Parameter({text}, requires_grad=False)")
        else:
            self._setup.append(f'self.register_buffer("{attribute}", {text})')
        return f"self.{attribute}"

    def _stored(self, value: torch.Tensor) -> str:
        array = array_of(value)
        key = array_key(array)
        self.arrays[key] = array
        return key

    def _statements(self) -> Iterator[str]:
        code = self._graph.python_code("self")
        (defined,) = (part for part in ast.parse(code.src).body if isinstance(part, ast.FunctionDef))
        renamed = Renamed(ChainMap(self._names, _NAMED))
        read = {node.id for node in ast.walk(defined) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        made = {node.id for node in ast.walk(defined) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        foreign = read & {*code.globals, "self"} - made - {"torch", *_NAMED}
        if foreign:
            raise NotCaptured(f"it needs {', '.join(sorted(foreign))}")
        for statement in defined.body:
            match statement:
                case ast.Return() | ast.Assign(value=ast.Constant(value=None)):  # FX deletes what is read no more
                    continue
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)):
                    if other in self._names:
                        self._names[name] = self._names[other]
                        continue
                    if name not in read:
                        continue
            yield ast.unparse(ast.fix_missing_locations(renamed.visit(statement)))

    def _returned(self, result: torch.Tensor, parameters: Sequence[str]) -> str:
        output = next(node for node in self._graph.nodes if node.op == "output")
        number = _index(self._recorded.results, result)
        if number is not None:
            outputs: Any = output.args[0]
            name = str(outputs[number].name)
            return self._names.get(name, name)
        if (number := _index(self._inputs, result)) is not None:
            return parameters[number]
        if (number := _index(self._recorded.arguments, result)) is not None:
            places = [str(node.target) for node in self._graph.nodes if node.op == "placeholder"]
            return self._names[places[number]]
        return self._kept("result", result, False)


def _index(tensors: Sequence[Any], wanted: torch.Tensor) -> int | None:
    """Return the position of the same tensor object among others; None if it is not there."""
    return next((n for n, tensor in enumerate(tensors) if tensor is wanted), None)


def _plain(name: str) -> str:
    """Return a name of Dynamo's as the user knows it: ``L_self_parameters_weight_`` becomes weight."""
    clean = _ADDED.sub("", _ADDED.sub("", name)).strip("_")
    return clean if clean.isidentifier() else "value"
