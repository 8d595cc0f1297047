"""Split Torch modules into the statements of their source, with the tensors of an uncompiled run.

Only splitting a module needs Torch; later work on its statements does not.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.python_text import Renamed, array_key, function, model_class
from polyjuice.frameworks.split import NotSplit, SplitProgram, split_into
from polyjuice.ir import Graph

_WRITTEN = "_after_write_"
"""What follows the name of a tensor in the name of the value that a statement wrote into it, before its number."""

_SEEN = "seen_by_polyjuice"
"""The function that the added statements call to report values."""


@dataclass(frozen=True, kw_only=True)
class _Whole:
    """The whole program.

    ``body`` holds the statements of ``forward``, and ``variables`` the names of its values. ``setup`` holds the
    constructor's statement for each constant, by its name in ``forward``. ``keys`` holds the keys of their arrays, and
    ``layouts`` the layouts of values in memory.
    """

    artifact: Artifact
    body: Sequence[ast.stmt]
    variables: frozenset[str]
    setup: Mapping[str, str]
    keys: Mapping[str, str]
    layouts: Mapping[str, str]


def split_program(artifact: Artifact, inputs: Sequence[np.ndarray]) -> SplitProgram:
    """Return a module split into statements of its source, to run on these inputs. Raises NotSplit, ImportError.

    Further arguments become inputs. A statement that writes into a tensor makes a new value of it.
    """
    from polyjuice.frameworks.torch import user_program

    assert isinstance(artifact.source, str)
    try:
        parsed = ast.parse(artifact.source)
        (model,) = (part for part in parsed.body if isinstance(part, ast.ClassDef))
        made, forward = (part for part in model.body if isinstance(part, ast.FunctionDef))
        *body, returned = forward.body
        names = [argument.arg for argument in forward.args.args[1:]]
        outputs = [ast.unparse(value) for value in returned.value.elts]  # type: ignore[attr-defined]
        setup = dict(_made(statement, artifact.source) for statement in made.body[1:])
        keys = {name: text.split('arrays["')[1].split('"]')[0] for name, text in setup.items()}
        further = [artifact.arrays[key] for key in artifact.arguments]
        arrays = dict(zip(names, [*inputs, *further], strict=True))
        layouts = dict(zip(names, [*artifact.setup.get("layouts", ()), *["contiguous"] * len(names)], strict=False))
    except (ValueError, AttributeError, IndexError) as error:
        raise NotSplit(f"its source has another form than stored modules ({error})") from None
    variables = frozenset([*names, *(name for statement in body for name in _names(statement, ast.Store))])
    forward.body = [*_watched([]), *(s for one in body for s in (one, *_watched(_reads(one, variables)))), returned]
    watched = replace(artifact, source=ast.unparse(ast.fix_missing_locations(parsed)))
    try:
        found = user_program.values(watched, [(arrays[name], layouts[name]) for name in names], _SEEN)
    except Exception as error:
        raise NotSplit(f"it does not run uncompiled ({type(error).__name__}: {error})") from error
    current = {name: name for name in names}
    values: dict[str, np.ndarray] = {}
    steps = []
    for number, (statement, changed) in enumerate(zip(body, found[1:], strict=True)):
        reads = [current[name] for name in _reads(statement, variables)]
        made_here = dict.fromkeys([*_names(statement, ast.Store), *changed])
        current |= {name: f"{name}{_WRITTEN}{number}" if name in current else name for name in made_here}
        values |= {current[name]: array for name, (array, _) in changed.items()}
        layouts |= {current[name]: layout for name, (_, layout) in changed.items()}
        steps.append((reads, [current[name] for name in made_here]))
    results = [current.get(name, name) for name in outputs]
    updates = {}
    for place, argument in artifact.setup.get("updates", ()):
        results.insert(place, current[names[argument]])
        updates[names[argument]] = place
    whole = _Whole(artifact=artifact, body=body, variables=variables, setup=setup, keys=keys, layouts=layouts)
    return split_into(steps, arrays, results, values, partial(_written, whole), updates)


def _written(whole: _Whole, graph: Graph, inputs: Sequence[np.ndarray]) -> Artifact:
    """Return the program with only the statements, inputs and outputs of a graph. Raises FormatError."""
    variables = {name: name for name in graph.inputs} | {name: f"self.w_{name}" for name in graph.constants}
    body: list[str] = []
    held: dict[str, None] = {}
    for node in graph.nodes:
        statement = whole.body[int(node.identity)]
        operands = [variables[name] for name in node.inputs]
        names = dict(zip(_reads(statement, whole.variables), operands, strict=True))
        makes = {name: name.partition(_WRITTEN)[0] for name in node.outputs}
        if not {*makes.values()} <= {*_names(statement, ast.Store)} and any(x.startswith("self.") for x in operands):
            raise FormatError("a constant would be written over")
        body += ast.unparse(Renamed(names).visit(copy.deepcopy(statement))).splitlines()
        held |= dict.fromkeys(name for name in _names(statement, ast.Load) if name in whole.setup)
        variables |= {name: names.get(variable, variable) for name, variable in makes.items()}
    for name, place in graph.updates.items():
        if variables[graph.outputs[place]] != name:
            raise FormatError(f"{graph.outputs[place]} is no new value of {name}")
    arrays = {whole.keys[name]: whole.artifact.arrays[whole.keys[name]] for name in held}
    setup = [whole.setup[name] for name in held]
    for name, array in graph.constants.items():
        arrays[array_key(array)] = array
        setup.append(f'self.register_buffer("w_{name}", arrays["{array_key(array)}"])')
    returned = "".join(f"{variables[name]}, " for name in graph.returned).strip()
    forward = function("forward", ["self", *graph.inputs], [*body, f"return ({returned})"])
    source = "\n".join(["import torch", "", "", *model_class("Model", "torch.nn.Module", setup, [forward]), ""])
    around = {key: value for key, value in whole.artifact.setup.items() if key not in ("layouts", "updates")}
    layouts = [whole.layouts.get(name, "contiguous") for name in graph.inputs]
    if {*layouts} - {"contiguous"}:
        around["layouts"] = layouts
    if graph.updates:
        around["updates"] = sorted([place, graph.inputs.index(name)] for name, place in graph.updates.items())
    return replace(whole.artifact, source=source, arrays=arrays, arguments=(), setup=around)


def _made(statement: ast.stmt, source: str) -> tuple[str, str]:
    """Return the name of a constant in ``forward``, and the text of the constructor's statement that makes it."""
    text = ast.get_source_segment(source, statement) or ""
    match statement:
        case (
            ast.Assign(targets=[ast.Attribute(attr=name)])
            | ast.Expr(value=ast.Call(args=[ast.Constant(value=str(name)), *_]))
        ):
            return f"self.{name}", text
    raise ValueError(text)


def _reads(statement: ast.stmt, variables: frozenset[str]) -> list[str]:
    return list(dict.fromkeys(name for name in _names(statement, ast.Load) if name in variables))


def _names(statement: ast.stmt, context: type[ast.expr_context]) -> Iterator[str]:
    """Yield the names that a statement reads or assigns: identifiers, and attributes of the model."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name | ast.Attribute):
        if context is ast.Load:
            yield ast.unparse(statement.target)
            yield from _names(ast.Expr(statement.value), ast.Load)
        return
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ctx) if isinstance(ctx, context):
                yield name
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if context is ast.Load:
                yield f"self.{name}"


def _watched(reads: Sequence[str]) -> list[ast.stmt]:
    return ast.parse(f"{_SEEN}({[*reads]!r}, locals())").body
