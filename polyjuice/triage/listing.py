"""Listings of programs for reports: their text, titles and differences, taken from the compiler's input."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from polyjuice.execution import Artifact
from polyjuice.frameworks.expressions import SYMBOLS, elements
from polyjuice.frameworks.onnx.listing import OnnxProgram

METHODS = ("forward", "__call__")
"""The names of a program's method, by framework."""

#: Text that a title does not need: the devices of new tensors, and ``self.`` before constants.
NEEDLESS = re.compile(r",? ?device=(?:self\.)?\w+\.device|\bself\.")

#: The words of a report for the keys of an artifact's setup.
_SETUP = {
    "dynamic": "torch.compile(dynamic=...)",
    "freezing": "torch._inductor.config.freezing",
    "mode": "gradient mode",
    "gradients": "differentiated",
    "layouts": "strides of the inputs",
    "updates": "inputs that are written",
    "numbers": "Python numbers among the arguments",
    "unknown": "unknown sizes",
}


@dataclass(frozen=True)
class PythonProgram:
    """The source of a module class, with the compiler's options."""

    artifact: Artifact

    @property
    def language(self) -> str:
        """The listing's language for Markdown."""
        return "python"

    @property
    def listing(self) -> str:
        """The class without imports and an empty constructor, which all have. Comments show its constants."""
        source = str(self.artifact.source)
        body = re.sub(r"^(?:import|from) .*\n", "", source, flags=re.MULTILINE).strip()
        body = re.sub(r"( +)def __init__\(self, arrays\):\n +super\(\).__init__\(\)\n\n", "", body)
        if body.count("\n    def ") == 1 and (match := re.match(r"class \w+\([\w.]+\):\n(?=    def )", body)):
            body = textwrap.dedent(body[match.end() :])
        held = [
            f"# {key}: {array.dtype}{list(array.shape)} = {elements(array)}"
            for key, array in self.artifact.arrays.items()
        ]
        return "\n".join([body, *held])

    def pattern(self, output: int | None) -> str:
        """The computation of one output (None: of all outputs) as one expression; "" where it is none."""
        function = self._function
        if function is None or any(map(writes, function.body)):
            return ""
        returned, values = _returned(function), _assigned(function)
        place = None if output is None else self._place(output)
        chosen = [returned[place]] if place is not None and place < len(returned) else returned
        texts = {_plain(_Inlined(values).visit(value)) for value in chosen}
        return texts.pop() if len(texts) == 1 else ""

    @property
    def operators(self) -> Counter[str]:
        """How often each function, method and operator is called, by its literal keyword arguments."""
        function = self._function
        return Counter(f"`{name}`" for name in _calls(function)) if function else Counter()

    @property
    def names(self) -> list[str]:
        """The functions and methods that compute, each once, in the order of the text; none that makes a constant."""
        function = self._function
        statements = [s for s in function.body if not _makes_constant(s)] if function else []
        found = (name.partition("(")[0].removeprefix(".") for s in statements for name in _calls(s))
        called = (_SYMBOLS.get(name, name) for name in found if name.partition(".")[2] not in _CONSTANTS)
        return list(dict.fromkeys(called))

    @property
    def facts(self) -> dict[str, str]:
        """Other possible differences between two programs with the same calls, by name."""
        setup: Mapping[str, Any] = self.artifact.setup
        arguments = [re.sub(r"^w_[0-9a-f]+_", "", key) for key in self.artifact.arguments]
        return {
            **{name: str(setup.get(key, "as by default")) for key, name in _SETUP.items()},
            "constants that are passed as arguments": ", ".join(arguments) or "none",
            "constants that the module holds": str(len(self.artifact.arrays) - len(arguments)),
        }

    @cached_property
    def _function(self) -> ast.FunctionDef | None:
        """The program's function; None where the text does not parse or has no such function."""
        try:
            tree = ast.parse(str(self.artifact.source))
        except SyntaxError:
            return None
        found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name in METHODS]
        return found[-1] if found else None

    def _place(self, output: int) -> int | None:
        """The index of an output in the returned tuple; None where the output is an updated input."""
        places = {place for place, _ in self.artifact.setup.get("updates", ())}
        return None if output in places else output - sum(place < output for place in places)


_SYMBOLS = {kind.__name__: symbol.removesuffix("x") for kind, symbol in SYMBOLS.items()}
"""The same symbols, by the names that `_calls` yields."""


class _Inlined(ast.NodeTransformer):
    """Replaces names by their values."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values
        self._left = 200  # a limit, because an expression that doubles at each step is cut anyway

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._values.get(node.id)
        self._left -= 1
        return self.visit(ast.parse(ast.unparse(value), mode="eval").body) if value and self._left > 0 else node


def _plain(node: ast.AST) -> str:
    """A statement or an expression on one line, without devices of constants."""
    return " ".join(NEEDLESS.sub("", ast.unparse(node)).split())


_CONSTANTS = ("arange", "array", "constant", "full", "ones", "tensor", "zeros")
"""Functions that make constants."""


def _makes_constant(statement: ast.stmt) -> bool:
    """Whether a statement binds a name to a tensor that depends on no other."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(value, ast.Call):
        return False
    plain = NEEDLESS.sub("", ast.unparse(value))
    return bool(re.fullmatch(rf"(?:torch|tf|jnp)\.(?:{'|'.join(_CONSTANTS)})\(.*\)", plain)) and not re.search(
        r"\b[a-z]\w*(?=[,)\[])", re.sub(r"torch[\w.]*|\w+=", "", plain)
    )


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    last = function.body[-1]
    value = last.value if isinstance(last, ast.Return) else None
    if value is None:
        return []
    return list(value.elts) if isinstance(value, (ast.Tuple, ast.List)) else [value]


def _assigned(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The values of names that are bound once."""
    bound = Counter(n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    found: dict[str, ast.expr] = {}
    for statement in (s for s in function.body if isinstance(s, ast.Assign)):
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            found[target.id] = statement.value
        elif isinstance(target, ast.Tuple):
            for place, name in enumerate(target.elts):
                found[ast.unparse(name)] = ast.Subscript(statement.value, ast.Constant(place), ast.Load())
    return {name: value for name, value in found.items() if bound[name] == 1}


def writes(statement: ast.stmt) -> bool:
    """Whether a statement does more than bind names to the result of a call without side effects."""
    if isinstance(statement, ast.Return):
        return False
    if not isinstance(statement, ast.Assign) or any(isinstance(t, ast.Subscript) for t in statement.targets):
        return True
    called = [n for n in ast.walk(statement) if isinstance(n, ast.Call)]
    targets = (k.arg in ("out", "inplace") for call in called for k in call.keywords)
    return any(_name(call.func).endswith("_") for call in called) or any(targets)


def _calls(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            named = [f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords if isinstance(k.value, ast.Constant)]
            yield f"{_name(node.func)}({', '.join(named)})"
        elif isinstance(node, (ast.BinOp, ast.Compare, ast.UnaryOp)):
            operators = node.ops if isinstance(node, ast.Compare) else [node.op]
            yield from (type(operator).__name__ for operator in operators)


def _name(function: ast.expr) -> str:
    """The full name of a function, or the last part of a method's name."""
    text = ast.unparse(function)
    return text if re.fullmatch(r"(?:torch|tf|F)[\w.]*", text) else f".{text.rpartition('.')[2]}"


#: The most operators of one side that a line names.
_NAMED = 6


Shown = OnnxProgram | PythonProgram
"""A program in any format, for a report."""


def shown(artifact: Artifact) -> Shown:
    """The program of an artifact, for a report."""
    return OnnxProgram(artifact.source) if isinstance(artifact.source, bytes) else PythonProgram(artifact)


def differences(a: Shown, b: Shown) -> list[str]:
    """The differences between two programs, one sentence each; at least one."""
    found = [*_operators(a, b), *_facts(a, b)]
    if not found and a.listing == b.listing:
        return ["A and B are the same program."]
    return found or ["A and B have the same operators, in another order or with other operands."]


def _operators(a: Shown, b: Shown) -> Iterator[str]:
    for side, more in (("A", a.operators - b.operators), ("B", b.operators - a.operators)):
        if more:
            names = [f"{name}{f' ({n} times)' if n > 1 else ''}" for name, n in sorted(more.items())]
            left = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            yield f"Only {side} has {', '.join(names[:_NAMED])}{left}."


def _facts(a: Shown, b: Shown) -> Iterator[str]:
    first, second = a.facts, b.facts
    for name in dict.fromkeys([*first, *second]):
        here, there = first.get(name, "none"), second.get(name, "none")
        if here != there:
            yield f"{name[0].upper()}{name[1:]}: {here} in A, {there} in B."
