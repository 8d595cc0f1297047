"""Split Torch modules into the statements of their source, with the tensors of an uncompiled run.

Only splitting a module needs Torch; later work on its statements does not.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.python_text import array_key, function, model_class
from polyjuice.frameworks.steps import NotTakenApart, ProgramStep, Written

_SEEN = "seen_by_polyjuice"
"""The function that the added statements call to report values."""


@dataclass(frozen=True, kw_only=True)
class _Frame:
    """The program around the statements.

    ``setup`` holds the constructor's statement for each constant, by its name in ``forward``. ``keys`` holds the keys
    of their arrays, and ``layouts`` the layouts of values in memory.
    """

    artifact: Artifact
    setup: Mapping[str, str]
    keys: Mapping[str, str]
    layouts: Mapping[str, str]


@dataclass(frozen=True)
class _Torch:
    """The writer of Torch programs (see `Language`)."""

    def renamed(self, step: ProgramStep, names: Mapping[str, str]) -> ProgramStep:
        """Return the statement with other operands. Raises FormatError if it would overwrite a constant."""
        if step.changes and any(names.get(name, "").startswith("self.") for name in step.reads):
            raise FormatError("a constant would be written over")
        code = _Renamed(names).visit(copy.deepcopy(step.code))
        return replace(step, code=code, reads=tuple(names.get(name, name) for name in step.reads))

    def held(self, name: str) -> str:
        """Return the name of a buffer."""
        return f"self.w_{name}"

    def artifact(self, written: Written) -> Artifact:
        """Return the program with the remaining statements."""
        frame: _Frame = written.frame
        arrays, setup = {}, []
        for name, array in written.held.items():
            if array is None:
                arrays[frame.keys[name]] = frame.artifact.arrays[frame.keys[name]]
                setup.append(frame.setup[name])
            else:
                key = array_key(array)
                arrays[key] = array
                setup.append(f'self.register_buffer("{name.removeprefix("self.")}", arrays["{key}"])')
        body = [line for step in written.steps for line in ast.unparse(step.code).splitlines()]
        returned = "".join(f"{name}, " for name in written.outputs).strip()
        forward = function("forward", ["self", *written.inputs], [*body, f"return ({returned})"])
        source = "\n".join(["import torch", "", "", *model_class("Model", "torch.nn.Module", setup, [forward]), ""])
        around = {key: value for key, value in frame.artifact.setup.items() if key not in ("layouts", "updates")}
        layouts = [frame.layouts[name] for name in written.inputs]
        if {*layouts} - {"contiguous"}:
            around["layouts"] = layouts
        if written.updates:
            numbers = map([*written.inputs].index, written.updates)
            around["updates"] = [[place, number] for place, number in enumerate(numbers, len(written.outputs))]
        return replace(frame.artifact, source=source, arrays=arrays, arguments=(), setup=around)


def taken_apart(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Written:
    """Return a module split into statements of its source, to run on these inputs. Raises NotTakenApart, ImportError.

    Further arguments become inputs.
    """
    from polyjuice.frameworks.torch import user_program as torch_program

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
        updates = tuple(names[number] for _, number in artifact.setup.get("updates", ()))
    except (ValueError, AttributeError, IndexError) as error:
        raise NotTakenApart(f"its source has another form than stored modules ({error})") from None
    forward.body = [s for statement in forward.body for s in (statement, *_watched(statement))]
    watched = replace(artifact, source=ast.unparse(ast.fix_missing_locations(parsed)))
    try:
        found = torch_program.values(watched, [(arrays[name], layouts[name]) for name in names], _SEEN)
    except Exception as error:
        raise NotTakenApart(f"it does not run uncompiled ({type(error).__name__}: {error})") from error
    values = {**arrays, **{name: artifact.arrays[key] for name, key in keys.items()}}
    values.update((name, array) for name, (array, _) in found.items())
    layouts.update((name, layout) for name, (_, layout) in found.items())
    known = {*names, *setup, *(name for statement in body for name in _names(statement, ast.Store))}
    steps = tuple(_step(number, statement, known) for number, statement in enumerate(body))
    frame = _Frame(artifact=artifact, setup=setup, keys=keys, layouts=layouts)
    return Written(
        language=_Torch(),
        frame=frame,
        inputs=arrays,
        held=dict.fromkeys(setup),
        steps=steps,
        outputs=tuple(outputs),
        values=values,
        updates=updates,
    )


def _made(statement: ast.stmt, source: str) -> tuple[str, str]:
    """Return the name of a constant in ``forward``, and the text of the constructor's statement that makes it."""
    text = ast.get_source_segment(source, statement) or ""
    match statement:
        case ast.Assign(targets=[ast.Attribute(attr=name)]):
            return f"self.{name}", text
        case ast.Expr(value=ast.Call(args=[ast.Constant(value=str(name)), *_])):
            return f"self.{name}", text
    raise ValueError(text)


def _step(number: int, statement: ast.stmt, known: set[str]) -> ProgramStep:
    reads = tuple(dict.fromkeys(name for name in _names(statement, ast.Load) if name in known))
    makes = tuple(dict.fromkeys(_names(statement, ast.Store)))
    return ProgramStep(number=number, code=statement, reads=reads, makes=makes, changes=_changes(statement))


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


def _changes(statement: ast.stmt) -> bool:
    """Return whether a statement may change a tensor in place."""
    if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name | ast.Tuple)):
        return True
    return any(isinstance(call, ast.Call) and _writes(call) for call in ast.walk(statement))


def _writes(call: ast.Call) -> bool:
    keywords = {word.arg: ast.unparse(word.value) for word in call.keywords}
    named = isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_")
    return named or "out" in keywords or keywords.get("inplace") == "True"


class _Renamed(ast.NodeTransformer):
    """Replaces names and attributes of the model by others."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the replacement of a name, or the name itself."""
        return self._other(node) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Return the replacement of an attribute, or the attribute with its value visited."""
        return self._other(node) or ast.Attribute(self.visit(node.value), node.attr, node.ctx)

    def _other(self, node: ast.Name | ast.Attribute) -> ast.expr | None:
        text = self._names.get(ast.unparse(node))
        if text is None:
            return None
        expression = ast.parse(text, mode="eval").body
        assert isinstance(expression, ast.Name | ast.Attribute)
        expression.ctx = node.ctx
        return expression


def _watched(statement: ast.stmt) -> Iterator[ast.stmt]:
    for name in dict.fromkeys(_names(statement, ast.Store)):
        yield from ast.parse(f"{_SEEN}({name!r}, {name})").body
