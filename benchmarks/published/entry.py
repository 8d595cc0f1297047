"""One published bug: a silent wrong result of a released compiler, with a program that triggers it.

Each file of the folders ``inductor``, ``onnxruntime``, ``tvm`` and ``xla`` is one entry: a Python module with plain
constants and a trigger. It imports nothing of Polyjuice, so that it also runs in the environment of an old release:

    \"\"\"One line: what the compiler does wrong.\"\"\"

    LINK = "https://github.com/pytorch/pytorch/issues/..."
    CAUSE = "fusion"                  # one of CAUSES
    WRONG = ["2.5.1"]                 # tested releases in which the trigger's result is wrong, oldest first
    RIGHT = ["2.6.0"]                 # tested releases in which it is right; [] if the newest is wrong
    PART = ""                         # the part to blame, as ``polyjuice bisect`` names it; "" if unknown
    OPERATORS = ["ReduceMax"]         # operators (of ``polyjuice ops``) that a reduced finding of this bug contains

    def program():                    # the trigger in Torch, on inputs that show the bug:
        return Module(), (x,)         # (module, args), or (module, args, kwargs)

or, instead of ``program``, a trigger in ONNX:

    def model():                      # an onnx.ModelProto
    def inputs():                     # arrays by name, on which the bug shows
    def expected(inputs):             # the right results, computed with NumPy, in the order of the model's outputs
    def tensorflow():                 # for XLA: the same as a TensorFlow function of the model's inputs, by name

A trigger in Torch is right if its results are those of the uncompiled run; ``expected(args)`` overrides these.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parent

COMPILERS = ("inductor", "onnxruntime", "tvm", "xla")

CAUSES = {
    "decomposition": "an operator is replaced by others that do not mean the same",
    "pattern": "a pattern is recognised where it is not one, or replaced by something else",
    "folding": "a constant is computed wrongly, or taken for one",
    "fusion": "loops are fused, reordered or tiled wrongly",
    "codegen": "the code of one operator or one loop is wrong",
    "vectorization": "vectorised code differs from scalar code",
    "type": "the element type is wrong: of a result, or of what is computed on the way",
    "layout": "strides, views or aliases are lost",
    "mutation": "a write in place is lost, doubled or seen too early",
    "kernel": "a library's kernel is wrong",
    "import": "the program is read wrongly",
}
"""The classes of causes, each with its meaning."""

_FORMATS = {"tensorflow": "tensorflow", "model": "onnx"}
"""The formats of triggers that are not in Torch, by the function that an entry has; the first one found counts."""

CONSTANTS = ("LINK", "CAUSE", "WRONG", "RIGHT", "PART", "OPERATORS")


@dataclass(frozen=True)
class Entry:
    """A published bug, read from its file (see the module's docstring)."""

    compiler: str
    name: str
    path: Path
    cause: str
    link: str
    category: str
    wrong: Sequence[str]
    right: Sequence[str]
    part: str
    operators: Sequence[str]
    format: str  # of the trigger: "torch", "tensorflow" or "onnx"

    @property
    def key(self) -> str:
        """The compiler and the name, such as ``xla/log_of_exp``."""
        return f"{self.compiler}/{self.name}"

    @property
    def half(self) -> str:
        """``open`` for the half that developers may look at while they work on Polyjuice, else ``held out``."""
        return "held out" if hashlib.sha256(self.key.encode()).digest()[0] % 2 else "open"


def read_all() -> list[Entry]:
    """Return all entries, sorted by compiler and name."""
    return [read(path) for compiler in COMPILERS for path in sorted((FOLDER / compiler).glob("*.py"))]


def read(path: Path) -> Entry:
    """Parse the entry in a file without running it: its framework need not be installed here.

    Raises ``KeyError`` if a constant is missing.
    """
    module = ast.parse(path.read_text(encoding="utf-8"))
    values = {
        statement.targets[0].id: ast.literal_eval(statement.value)
        for statement in module.body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
        if statement.targets[0].id in CONSTANTS
    }
    functions = {statement.name for statement in module.body if isinstance(statement, ast.FunctionDef)}
    return Entry(
        compiler=path.parent.name,
        name=path.stem,
        path=path,
        cause=(ast.get_docstring(module) or "").partition("\n")[0],
        link=values["LINK"],
        category=values["CAUSE"],
        wrong=values["WRONG"],
        right=values["RIGHT"],
        part=values["PART"],
        operators=values["OPERATORS"],
        format=next((format for name, format in _FORMATS.items() if name in functions), "torch"),
    )


def load_trigger(path: Path) -> ModuleType:
    """Run the file of an entry, and return its module."""
    spec = importlib.util.spec_from_file_location(f"published_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
