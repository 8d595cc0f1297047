"""Target files: one line for each pattern that a part of a compiler looks for (see ``rules/targets/README.md``).

A line ``(target "PART" PATTERN ... :when (FACTS))`` names the part as bisection does. A part that no model can reach
has a line ``(unreachable "PART" "REASON")``. Patterns are terms in the language of the rules, with some shorthands. A
number in a tensor's place is a constant of that value, and an upper-case name is a constant tensor. Attributes may be
left out, and ``A|B`` stands for either operator. `Target` holds a pattern without the shorthands.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from polyjuice import plugins
from polyjuice.egraph.language import Constructor, constructors
from polyjuice.egraph.rulefiles import RuleError, comment, constructors_like, default_paths, installed, spans
from polyjuice.egraph.sexpr import Expr, heads, parsed

_FORMS = 'a target file holds only (target "PART" PATTERN ...) and (unreachable "PART" "REASON")'

ANY = "_"
"""The name of a variable that occurs nowhere else."""

ELEMENTS = "elements"
"""The condition ``(elements I 1 2 0)``: the constant ``I`` is a vector of these integers."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A pattern that a part of a compiler looks for.

    ``results`` are its terms; ``facts`` are the conditions on their variables, and the terms that variables stand for.
    ``name`` is unique among all targets: that of the file, the number of the line, and that of the alternative.
    """

    part: str
    name: str
    results: tuple[Expr, ...]
    facts: tuple[Expr, ...]
    comment: str = field(default="", compare=False)
    line: int = 0

    @property
    def operators(self) -> frozenset[str]:
        """The qualified names of its operators."""
        known = constructors()
        return frozenset(known[head].op.qualified for head in heads([*self.results, *self.facts]) if head in known)


@dataclass(frozen=True, kw_only=True)
class TargetFile:
    """The targets of one file, and the reasons why other parts cannot be reached."""

    path: Path
    targets: tuple[Target, ...]
    unreachable: dict[str, str]

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all parts, reachable or not."""
        return tuple(dict.fromkeys([*(target.part for target in self.targets), *self.unreachable]))


def of_compiler(name: str, further: Iterable[Path] = ()) -> TargetFile:
    """The targets of a compiler: from Polyjuice, from other packages, and from ``further`` files.

    ``name`` is that of the file, which compilers may share. Raises RuleError for a mistake in a file.
    """
    paths = [folder / "targets" / f"{name}.egg" for folder in default_paths()]
    others = [file for place in installed(plugins.TARGETS) for file in _files(place) if file.stem == name]
    read = [load(path) for path in (*filter(Path.is_file, paths), *others, *further)]
    return TargetFile(
        path=paths[0],
        targets=tuple(target for file in read for target in file.targets),
        unreachable={part: reason for file in read for part, reason in file.unreachable.items()},
    )


@cache
def of_every_compiler() -> tuple[Target, ...]:
    """The targets of all files that come with Polyjuice."""
    return _in_folder("targets")


@cache
def of_no_compiler() -> tuple[Target, ...]:
    """Patterns that no part of a compiler looks for (``rules/blocks``), with the name of a block as the part."""
    return _in_folder("blocks")


def _in_folder(name: str) -> tuple[Target, ...]:
    files = [file for folder in default_paths() for file in sorted((folder / name).glob("*.egg"))]
    return tuple(target for file in files for target in load(file).targets)


def _files(place: Path) -> list[Path]:
    return sorted(place.glob("*.egg")) if place.is_dir() else [place]


@cache
def load(path: Path) -> TargetFile:
    """Read a target file. Raises RuleError with the file, the line and the reason for a mistake."""
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RuleError(f"{path}: cannot be read: {error}") from None
    targets: list[Target] = []
    unreachable: dict[str, str] = {}
    for start, end in spans(path, source):
        line = source.count("\n", 0, start) + 1
        try:
            match parsed(source[start:end]):
                case ["target", str() as part, *patterns] if part.startswith('"'):
                    name, told = f"{path.stem}:{line}", comment(source, start, end)
                    targets += _targets(part.strip('"'), patterns, name, line, told)
                case ["unreachable", str() as part, str() as reason]:
                    unreachable[part.strip('"')] = reason.strip('"')
                case _:
                    raise ValueError(_FORMS)
        except ValueError as error:
            raise RuleError(f"{path}:{line}: {error}") from None
    return TargetFile(path=path, targets=tuple(targets), unreachable=unreachable)


def _targets(part: str, patterns: Sequence[Expr], name: str, line: int, told: str) -> Iterator[Target]:
    """The targets of a line: one for each choice of alternatives. Raises ValueError."""
    facts: Expr = []
    if ":when" in patterns:
        if list(patterns).index(":when") != len(patterns) - 2:
            raise ValueError(":when stands last, before one list of facts")
        *patterns, _, facts = patterns
    if not patterns or not isinstance(facts, list):
        raise ValueError("a target needs a pattern, and :when a list of facts")
    alternatives = list(itertools.product(_choices(patterns), _choices(facts)))
    for number, (terms, conditions) in enumerate(alternatives):
        plain = _Plain()
        yield Target(
            part=part,
            name=f"{name}/{number}" if len(alternatives) > 1 else name,
            results=tuple(plain.tensor(term) for term in terms),
            facts=tuple(plain.fact(fact) for fact in conditions),
            comment=told,
            line=line,
        )


def _alternatives(expr: Expr) -> list[Expr]:
    """An expression with each choice among the operators that ``|`` separates."""
    if isinstance(expr, str):
        return list(expr.split("|")) if "|" in expr and not expr.startswith('"') else [expr]
    return list(_choices(expr))


def _choices(parts: Sequence[Expr]) -> list[list[Expr]]:
    return [list(chosen) for chosen in itertools.product(*map(_alternatives, parts))]


class _Plain:
    """Writes one target's terms without shorthands, each open argument as a variable of its own."""

    def __init__(self) -> None:
        self._count = 0

    def _fresh(self) -> str:
        self._count += 1
        return f"{ANY}{self._count}"

    def tensor(self, expr: Expr) -> Expr:
        """A term in a tensor's place. Raises ValueError."""
        if isinstance(expr, str):
            if is_number(expr):
                return ["Splat", _floating(expr), self._fresh(), self._fresh()]
            return self._fresh() if expr == ANY else expr
        match expr:
            case ["Splat", *parts]:
                return ["Splat", *(self._fresh() if part == ANY else part for part in parts)]
            case [str() as head, *parts]:
                if known := constructors().get(head):
                    return [head, *map(self.tensor, parts[: known.operands]), *self._attributes(known, parts)]
                raise ValueError(f"there is no operator {head}{constructors_like(head)}")
        raise ValueError(f"a term begins with an operator: {expr}")

    def _attributes(self, c: Constructor, parts: Sequence[Expr]) -> Iterator[Expr]:
        count = len(c.sorts)
        if not c.operands <= len(parts) <= count:
            raise ValueError(f"{c.name} takes {c.operands} operands and up to {count - c.operands} attributes")
        given = [*parts[c.operands :], *[ANY] * (count - len(parts))]
        for sort, part in zip(c.sorts[c.operands :], given, strict=True):
            if part == ANY:
                yield self._fresh()
            elif sort == "f64" and isinstance(part, str) and is_number(part):
                yield _floating(part)
            else:
                yield part

    def fact(self, fact: Expr) -> Expr:
        """A condition, or an equation of a variable and a term. Raises ValueError."""
        match fact:
            case ["=", str() as variable, [str() as head, *_] as term] if head in constructors():
                return ["=", variable, self.tensor(term)]
            case [head, *parts] if head == ELEMENTS:
                name, *numbers = map(str, parts)
                if not is_constant(name) or not all(number.lstrip("-").isdigit() for number in numbers):
                    raise ValueError(f"{ELEMENTS} takes the name of a constant, and integers")
        return fact


def is_constant(variable: Expr) -> bool:
    """Whether a variable of a pattern stands for a constant tensor."""
    return isinstance(variable, str) and variable[:1].isupper()


def is_number(text: str) -> bool:
    """Whether a symbol of a pattern is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _floating(text: str) -> str:
    return repr(float(text))
