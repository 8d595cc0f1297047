"""The programs of a reproducer: their definitions and calls, the code that judges them, and the table of backends."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import Template
from typing import Any

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.onnx import reproducer as onnx_models
from polyjuice.frameworks.python_text import Renamed
from polyjuice.frameworks.rendering import Rendering, rendering_of
from polyjuice.ir import TensorType, dtypes, mark
from polyjuice.triage.listing import METHODS, NEEDLESS, writes
from polyjuice.triage.reproducers.arrays import Arrays, can_embed, embedded_model

OUTPUT = Template('''\
def output(run):
    """Return the result of the second run: in some compilers, the first run overwrites memory that the second reads."""
    run()
    return $value''')

GAP = Template('''\
def gap(x, y):
    """Return |x - y|: infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype($wide) - y.astype($wide))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))''')

GAP_OF_ZEROS = '''\
def gap(x, y):
    """Return 1 where both are zeros of different signs, else 0."""
    return np.where((x == 0) & (y == 0) & (np.signbit(x) != np.signbit(y)), 1.0, 0.0)'''

JUDGE = Template("""\
wrong = $wrong
$shown
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
${further}sys.exit(1 if wrong.any() else 0)""")

MISTYPED = Template("""\
${run}made = $type, list($value.shape)
print("output $output is", *made, "and should be $dtype $shape")
${further}sys.exit(0 if made == ("$dtype", $shape) else 1)""")

SUPERVISED = Template("""\
if "--child" not in sys.argv:  # in a new process, because the compiler may end it, or never return
    try:
        status = subprocess.run([sys.executable, __file__, "--child"], timeout=$limit).returncode
    except subprocess.TimeoutExpired:
        print("the compiler did not finish in $limit s")
        sys.exit($on_hang)
    sys.exit(status if status in (0, 2) else 1)""")

SIDE_BY_SIDE = "side by side:"
"""The heading of the table of backends in a reproducer's output."""


_OF_INPUTS = ("layouts", "mode", "gradients", "numbers")
"""The keys of a setup that affect the call of a program, and not its compilation."""


@dataclass(frozen=True, kw_only=True)
class Programs:
    """The programs by side, and the names and types of their common inputs.

    ``arguments`` are the names of the arrays that each program takes as further inputs. ``settings`` are the further
    keyword arguments of `prepare`. ``outputs`` is the number of outputs of each program. ``short`` is the compiler's
    expression that compiles and runs a program as its users write it (`CompilerInfo.repro_call`); with "" programs run
    by `prepare`, and return tuples.
    """

    artifacts: Mapping[str, Artifact]
    inputs: Sequence[str]
    types: Sequence[TensorType]
    arguments: Mapping[str, Sequence[str]]
    settings: Mapping[str, Any]
    device: str
    outputs: int
    short: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def format(self) -> str:
        """The format of the programs."""
        return next(iter(self.artifacts.values())).format

    @property
    def _rendering(self) -> Rendering:
        return rendering_of(self.format)

    def definitions(self, arrays: Arrays, *, built: bool) -> list[str]:
        """The models, named like their sides; small ONNX models are either ``built`` by code or embedded as bytes."""
        if registry.find(self.format).binary:
            return self._onnx_models(built)
        return [self._function(side) or _class(side, artifact, arrays) for side, artifact in self.artifacts.items()]

    @property
    def before(self) -> list[str]:
        """Statements that the programs need before they run."""
        return self._rendering.before([*self.artifacts.values()])

    def _function(self, side: str) -> str:
        """A program that holds nothing as a function; "" where it needs its class."""
        artifact = self.artifacts[side]
        found = _method(artifact)
        if found is None or not isinstance(returned := found.body[-1], ast.Return):
            return ""
        names = [name.arg for name in found.args.args[1:]]
        if len(names) == len(wanted := [*self.inputs, *self.arguments[side]]):
            to = {a: b for a, b in zip(names, wanted, strict=True) if a != b and not _uses(found, b)}
            names = [to.get(name, name) for name in names]
            found = Renamed(to).visit(found)
        if self.short and isinstance(returned.value, ast.Tuple) and len(returned.value.elts) == 1:
            returned.value = returned.value.elts[0]
        lines = [ast.unparse(ast.fix_missing_locations(statement)) for statement in _inlined(found.body)]
        text = "\n".join([f"def {side}({', '.join(names)}):", *(f"    {x}" for x in "\n".join(lines).splitlines())])
        return NEEDLESS.sub("", text) if self.device == "cpu" else text

    def _onnx_models(self, built: bool) -> list[str]:
        sources = {side: artifact.source for side, artifact in self.artifacts.items()}
        models = {side: source for side, source in sources.items() if isinstance(source, bytes)}
        further = list({tuple(self.arguments[side]) for side in models})
        names = [*self.inputs, *further[0]]
        if built and len(further) == 1 and (text := onnx_models.written(models, names)):
            return [text]
        return [
            embedded_model(side, source)
            if can_embed(source)
            else f'{side} = Path(__file__).with_name("{lowered_name(side)}").read_bytes()'
            for side, source in models.items()
        ]

    def with_arguments(self, side: str, function: str = "") -> str:
        """An expression like :meth:`call`, for a ``model``, that returns the program's outputs and then its arguments.

        ``function`` is one that does not compile; it takes only options that concern outputs.
        """
        artifact = self._returning_arguments(side)
        if not function:
            return self._called(side, artifact, model="model")
        return replace(self, settings={})._called(side, _uncompiled(artifact), function=function, model="model")

    def at_level(self, side: str, *, of_model: bool) -> tuple[str, str]:
        """Expressions that run a side uncompiled, and that compile it at the value of a variable ``level``.

        With ``of_model`` they use a ``model``, and return its arguments too.
        """
        free, model = replace(self, settings={}), "model" if of_model else ""
        artifact = self._returning_arguments(side) if of_model else self.artifacts[side]
        plain = free._called(side, _uncompiled(artifact), function="uncompiled", model=model)
        return plain, free._called(side, artifact, "level=level", model=model)

    def _returning_arguments(self, side: str) -> Artifact:
        """A side that returns its outputs and then its arguments."""
        artifact = self.artifacts[side]
        count = len(self.inputs) + len(self.arguments[side]) - artifact.numbers
        returned = self.outputs - len(artifact.setup.get("updates", ()))
        setup = {**artifact.setup, "updates": [[returned + number, number] for number in range(count)]}
        return replace(artifact, setup=setup)

    def call(self, side: str, *options: str) -> str:
        """An expression that compiles a side: its value is a function that runs the side and returns its outputs.

        "" where there is no such side.
        """
        return self._called(side, self.artifacts[side], *options) if side in self.artifacts else ""

    def _called(self, side: str, artifact: Artifact, *options: str, function: str = "prepare", model: str = "") -> str:
        setup = {key: value for key, value in artifact.setup.items() if key not in _OF_INPUTS}
        settings = {**setup, **self.settings}
        inputs = ", ".join(self.inputs_of(side))
        arguments = ", ".join(
            [model or self.model(side), f"[{inputs}]", *(f"{k}={v!r}" for k, v in settings.items()), *options]
        )
        text = f"{'gradients' if artifact.setup.get('gradients') else function}({arguments})"
        return self._rendering.call(text, artifact, [*self.artifacts.values()])

    def model(self, side: str) -> str:
        """An expression that makes the model of a side."""
        rendering, artifact = self._rendering, self.artifacts[side]
        if isinstance(artifact.source, str) and self._function(side):
            return side
        return rendering.there(rendering.model.format(side=side), self.device) + rendering.mode(artifact)

    def run(self, side: str) -> str:
        """An expression that compiles and runs a side: its value is what the program returns."""
        if not self.short:
            return f"{self.call(side)}()"
        names, setup = [*self.inputs, *self.arguments[side]], self.artifacts[side].setup
        options = "".join(f", {self.options[key]}" for key in setup if key in self.options)
        feeds = ", ".join(f'"{name}": {name}' for name in names)
        parts = {"model": self.model(side), "options": options, "inputs": ", ".join(names), "feeds": f"{{{feeds}}}"}
        return Template(self.short).substitute(parts)

    def inputs_of(self, side: str) -> list[str]:
        """The expressions of a side's arguments, in the memory layout that it wants."""
        return self._rendering.inputs(self.inputs, self.types, self.arguments[side], self.artifacts[side])

    def array_of(self, output: str, dtype: str) -> str:
        """An expression that converts an output to a NumPy array."""
        rendering = self._rendering
        here = rendering.here(output, self.device, [*self.artifacts.values()])
        return (rendering.to_single if mark(dtype) else rendering.to_numpy).format(output=here)

    def type_of(self, output: str, dtype: str) -> str:
        """An expression for the name of an output's element type, which should be ``dtype``."""
        text = self._rendering.type_of.format(output=output)
        return f'{text}.replace("float8_", "float8")' if dtype in dtypes.NARROW_FLOATS else text


def lowered_name(side: str) -> str:
    """The file beside the reproducer with the compiled ONNX model of side A or B."""
    return f"{program_stem(side)}.onnx"


def program_stem(side: str) -> str:
    """The name, without extension, of the file with the compiled program of side A or B."""
    return f"{side.lower()}.lowered"


def _uncompiled(artifact: Artifact) -> Artifact:
    kept = {key: value for key, value in artifact.setup.items() if key in ("layouts", "mode", "updates")}
    return replace(artifact, setup=kept)


_LINE = 84
"""The most characters of a statement that takes the place of several."""


def _method(artifact: Artifact) -> ast.FunctionDef | None:
    """The method of a program without state; None where a class holds constants or has more than one method."""
    tree = ast.parse(str(artifact.source))
    classes = [s for s in tree.body if not isinstance(s, ast.Import | ast.ImportFrom)]
    if len(classes) != 1 or not isinstance(classes[0], ast.ClassDef):
        return None
    *others, last = classes[0].body
    if not isinstance(last, ast.FunctionDef) or last.name not in METHODS or last.decorator_list or _uses(last, "self"):
        return None
    empty = all(isinstance(s, ast.FunctionDef) and s.name == "__init__" and len(s.body) == 1 for s in others)
    return last if empty else None


def _uses(node: ast.AST, name: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _inlined(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements without names that only the next statement uses, where these stay short."""
    bound = [n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    if len({*bound}) < len(bound) or any(writes(s) or not isinstance(s, ast.Assign | ast.Return) for s in body):
        return [*body]
    found: list[ast.stmt] = []
    for number, statement in enumerate(body):
        for last in reversed([*found]):
            target, value = (last.targets[0], last.value) if isinstance(last, ast.Assign) else (None, last)
            if not isinstance(target, ast.Name) or _uses(statement, target.id) != 1:
                continue
            if any(_uses(other, target.id) for other in (*found, *body[number + 1 :]) if other is not last):
                continue
            shorter = Renamed({target.id: ast.unparse(value)}).visit(ast.parse(ast.unparse(statement)).body[0])
            if len(ast.unparse(shorter)) <= _LINE or ast.unparse(statement) == f"return {target.id}":
                found.remove(last)
                statement = shorter
        found.append(statement)
    return found


def _class(name: str, artifact: Artifact, arrays: Arrays) -> str:
    """The model's class under another name, with its constants inline and without imports."""
    assert isinstance(artifact.source, str)
    held: Mapping[str, np.ndarray] = artifact.arrays
    body = re.sub(r"^(import|from) .*\n", "", artifact.source, flags=re.MULTILINE).strip()
    body = re.sub(r'arrays\["([^"]+)"\]', lambda key: arrays.expression(key[1], held[key[1]]), body)
    body = body.replace("(self, arrays):", "(self):").replace("(arrays)", "()")
    body = re.sub(r"( +)def __init__\(self\):\n +super\(\).__init__\(\)\n\n", "", body)
    return body.replace("class Model(", f"class {name}(", 1)
