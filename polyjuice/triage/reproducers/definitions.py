"""The programs of a reproducer: their definitions and calls, the code that judges them, and the table of backends."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import Template

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.onnx import reproducer as onnx_models
from polyjuice.frameworks.rendering import Rendering, rendering_of
from polyjuice.ir import TensorType, dtypes, mark
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
output = $a()[$output]
made = $type, list(output.shape)
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

    ``arguments`` are the names of the arrays that each program takes as further inputs. ``level`` is the optimization
    level to compile at. ``outputs`` is the number of outputs of each program.
    """

    artifacts: Mapping[str, Artifact]
    inputs: Sequence[str]
    types: Sequence[TensorType]
    arguments: Mapping[str, Sequence[str]]
    level: str
    device: str
    outputs: int

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
        classes = (_class(side, artifact, arrays) for side, artifact in self.artifacts.items())
        return [*self._rendering.before([*self.artifacts.values()]), *classes]

    def _onnx_models(self, built: bool) -> list[str]:
        sources = {side: artifact.source for side, artifact in self.artifacts.items()}
        models = {side: source for side, source in sources.items() if isinstance(source, bytes)}
        further = list({tuple(self.arguments[side]) for side in models})
        if built and len(further) == 1 and (text := onnx_models.written(models, [*self.inputs, *further[0]])):
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
        return replace(self, level="")._called(side, _uncompiled(artifact), function=function, model="model")

    def at_level(self, side: str, *, of_model: bool) -> tuple[str, str]:
        """Expressions that run a side uncompiled, and that compile it at the value of a variable ``level``.

        With ``of_model`` they use a ``model``, and return its arguments too.
        """
        free, model = replace(self, level=""), "model" if of_model else ""
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
        settings = {**setup, **({"level": self.level} if self.level else {})}
        inputs = ", ".join(self._inputs(side))
        arguments = ", ".join(
            [model or self.model(side), f"[{inputs}]", *(f"{k}={v!r}" for k, v in settings.items()), *options]
        )
        text = f"{'gradients' if artifact.setup.get('gradients') else function}({arguments})"
        return self._rendering.call(text, artifact, [*self.artifacts.values()])

    def model(self, side: str) -> str:
        """An expression that makes the model of a side."""
        rendering = self._rendering
        made = rendering.there(rendering.model.format(side=side), self.device)
        return made + rendering.mode(self.artifacts[side])

    def _inputs(self, side: str) -> list[str]:
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


def _class(name: str, artifact: Artifact, arrays: Arrays) -> str:
    """The model's class under another name, with its constants inline and without imports."""
    assert isinstance(artifact.source, str)
    held: Mapping[str, np.ndarray] = artifact.arrays
    body = re.sub(r"^(import|from) .*\n", "", artifact.source, flags=re.MULTILINE).strip()
    body = re.sub(r'arrays\["([^"]+)"\]', lambda key: arrays.expression(key[1], held[key[1]]), body)
    body = body.replace("(self, arrays):", "(self):").replace("(arrays)", "()")
    body = re.sub(r"( +)def __init__\(self\):\n +super\(\).__init__\(\)\n\n", "", body)
    return body.replace("class Model(", f"class {name}(", 1)
