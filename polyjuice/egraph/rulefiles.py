"""Rule files: native egglog, one named rewrite or rule per command, its exactness given by its ruleset.

A rule's documentation is the comment at the end of its line or on the lines above it.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path

from polyjuice import plugins
from polyjuice.egraph.bindings import bindings
from polyjuice.egraph.bounds import FACTS
from polyjuice.egraph.language import EXACTNESS, constructors, prelude
from polyjuice.egraph.sexpr import Expr, heads, parsed


class RuleError(ValueError):
    """A mistake in a rule file: one line with the file, the line and the reason."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule of a rule file. ``names`` are the names egglog reports (two for a bidirectional rewrite).

    ``added`` marks a rule that does not come with Polyjuice; such a rule is enabled for every graph.
    """

    name: str
    ruleset: str
    file: Path
    line: int
    text: str
    comment: str
    added: bool = False

    @property
    def bidirectional(self) -> bool:
        """Whether the rule is a rewrite in both directions."""
        return self.text.startswith("(birewrite")

    @property
    def names(self) -> tuple[str, ...]:
        """The names that egglog reports: ``name``, or ``name=>`` and ``name<=`` for both directions."""
        return (f"{self.name}=>", f"{self.name}<=") if self.bidirectional else (self.name,)

    @cached_property
    def expr(self) -> list[Expr]:
        """The command as nested lists."""
        expr = parsed(self.text)
        assert isinstance(expr, list)
        return expr

    @cached_property
    def sides(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        """For each direction, the constructors of the terms that the rule matches, and of those that it makes."""
        _, left, right, *options = self.expr
        conditions = options[options.index(":when") + 1] if ":when" in options else []
        matched, made, asked = (_terms(part) for part in (left, right, conditions))
        forth, back = (matched | asked, made), (made | asked, matched)
        return (forth, back) if self.bidirectional else (forth,)

    @cached_property
    def constructors(self) -> frozenset[str]:
        """The constructors that the rule mentions."""
        return frozenset(heads(self.expr)) & constructors().keys()

    @cached_property
    def needs_bounds(self) -> bool:
        """Whether the rule uses facts about value bounds."""
        return not FACTS.isdisjoint(heads(self.expr))


def _terms(expr: Expr) -> frozenset[str]:
    return frozenset(heads(expr)) & {"Splat", *constructors()}


def default_paths() -> list[Path]:
    """The folder of the rules that come with Polyjuice: beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parent.parent
    return [next(p for p in (package / "rules", package.parent / "rules") if p.is_dir())]


def load(
    paths: Iterable[Path] = (), only: Sequence[str] = (), without: Sequence[str] = (), defaults: bool = True
) -> tuple[Rule, ...]:
    """The rules of Polyjuice and of installed packages, and of further files and folders, filtered by name patterns.

    Raises RuleError for a mistake in a file, a name used twice, or a pattern that matches nothing.
    """
    further = (*(installed(plugins.RULES) if defaults else ()), *paths)
    rules = list(_shipped() if defaults else ())
    if further:
        reader = _Reader(rules)
        rules += [rule for path in further for rule in reader.read(path, True)]
    names = [rule.name for rule in rules]
    for pattern in (*only, *without):
        if not fnmatch.filter(names, pattern):
            raise RuleError(f"no rule matches {pattern!r}: `polyjuice rules list` shows the names")
    return tuple(
        rule
        for rule in rules
        if (not only or any(fnmatch.fnmatchcase(rule.name, p) for p in only))
        and not any(fnmatch.fnmatchcase(rule.name, p) for p in without)
    )


def installed(group: str) -> list[Path]:
    """The rule or target files of other packages, which declare them by an entry-point group.

    An entry point names a package, with such files in its folder, or a module, with a file of its name beside it.
    Raises RuleError where there is none.
    """
    found = []
    for entry in plugins.entries(group).values():
        file = plugins.located(entry.module)
        place = None if file is None else file.parent if file.name == "__init__.py" else file.with_suffix(".egg")
        if place is None or not (list(place.glob("*.egg")) if place.is_dir() else place.is_file()):
            raise RuleError(f"{plugins.described(entry)}: there is no .egg file: {place or 'nor the module'}")
        found.append(place)
    return found


@cache
def _shipped() -> tuple[Rule, ...]:
    """The rules that come with Polyjuice. A process reads and checks them only once."""
    reader = _Reader()
    return tuple(rule for path in default_paths() for rule in reader.read(path, False))


class _Reader:
    """Reads rule files, and checks each rule against the language. Its methods raise RuleError."""

    def __init__(self, known: Sequence[Rule] = ()) -> None:
        """``known`` are checked rules, whose names no other rule may use."""
        self._taken: dict[str, Rule] = {}
        for rule in known:
            self._claim_names(rule)
        self._checker = bindings.EGraph()
        for program in prelude(constructors()):
            self._checker.run_program(*self._checker.parse_program(program))

    def read(self, path: Path, added: bool) -> Iterator[Rule]:
        if not path.exists():
            raise RuleError(f"{path}: no such rule file or folder")
        for file in sorted(path.glob("*.egg")) if path.is_dir() else [path]:
            source = self._source(file)
            for start, end in spans(file, source):
                yield self._rule(file, source, start, end, added)

    def _source(self, file: Path) -> str:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RuleError(f"{file}: cannot be read: {error}") from None

    def _rule(self, file: Path, source: str, start: int, end: int, added: bool) -> Rule:
        text, line = source[start:end], source.count("\n", 0, start) + 1
        where = f"{file}:{line}"
        try:
            command = self._checker.parse_program(text, str(file))[0]
        except bindings.EggSmolError as error:
            raise RuleError(f"{where}: {reason(error)}") from None
        name, ruleset = _name_and_ruleset(where, command)
        rule = Rule(
            name=name,
            ruleset=ruleset,
            file=file,
            line=line,
            text=text,
            comment=comment(source, start, end),
            added=added,
        )
        self._claim_names(rule)  # before egglog reads it: a name used twice makes egglog panic
        try:
            self._checker.run_program(command)
        except bindings.EggSmolError as error:
            raise RuleError(f"{where}: rule {name!r}: {_with_hint(reason(error))}") from None
        if outside := re.search(r"\((Input|Const|Other)\b", text):
            raise RuleError(f"{where}: rule {name!r}: {outside[1]} is a value of one graph, and a rule cannot name it")
        return rule

    def _claim_names(self, rule: Rule) -> None:
        """Raise RuleError if the rule's name, or one that egglog derives from it, is taken."""
        for name in {rule.name, *rule.names}:
            other = self._taken.setdefault(name, rule)
            if other is not rule:
                where = f"{rule.file}:{rule.line}"
                raise RuleError(f"{where}: {other.file}:{other.line} has a rule {rule.name!r} too: rename one")


def spans(file: Path, source: str) -> Iterable[tuple[int, int]]:
    """The spans of the top-level parenthesised commands. Raises RuleError for text outside of commands and comments."""
    depth, start, i = 0, 0, 0
    while i < len(source):
        char = source[i]
        if char == ";":
            i = source.find("\n", i) if "\n" in source[i:] else len(source)
            continue
        if depth == 0 and char not in "()" and not char.isspace():
            raise RuleError(f"{file}:{source.count(chr(10), 0, i) + 1}: text outside a rule: a comment begins with ;")
        if char == '"':
            i = source.find('"', i + 1)
            if i < 0:
                raise RuleError(f"{file}:{source.count(chr(10), 0, start) + 1}: a string is not closed")
        elif char == "(":
            start = i if depth == 0 else start
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                yield start, i + 1
            if depth < 0:
                raise RuleError(f"{file}:{source.count(chr(10), 0, i) + 1}: a ')' too many")
        i += 1
    if depth:
        raise RuleError(f"{file}:{source.count(chr(10), 0, start) + 1}: a '(' is not closed")


def _name_and_ruleset(where: str, command: object) -> tuple[str, str]:
    match command:
        case bindings.RewriteCommand() | bindings.BiRewriteCommand():
            name, ruleset = command.rewrite.name, command.name
        case bindings.RuleCommand():
            name, ruleset = command.rule.name, command.rule.ruleset
        case _:
            raise RuleError(f"{where}: a rule file holds only (rewrite ...), (birewrite ...) and (rule ...)")
    if not name:
        raise RuleError(f'{where}: the rule has no name: add :name "..."')
    if ruleset not in EXACTNESS:
        raise RuleError(f"{where}: rule {name!r}: its :ruleset must be one of {', '.join(EXACTNESS)}")
    return name, ruleset


def reason(error: bindings.EggSmolError) -> str:
    """egglog's message on one line, without the source text that it repeats."""
    lines = [line.strip() for line in str(error.context).splitlines() if line.strip()]
    kept = [line for line in lines if not re.match(r"^In \d+:\d+", line)]
    return "; ".join(kept or lines)


def _with_hint(reason: str) -> str:
    """egglog's reason, and the constructors that look like one that there is not."""
    unknown = re.search(r"Unbound function (\w+)", reason)
    return reason + (constructors_like(unknown[1]) if unknown else "")


def constructors_like(name: str) -> str:
    """The constructors that look like one that there is not, for the end of a message; "" if none does.

    An operator of any number of operands has a constructor for each number.
    """
    names = constructors()
    numbered = sorted(one for one in names if re.fullmatch(rf"{re.escape(name)}\d+", one))
    close = numbered or get_close_matches(name, names)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def comment(source: str, start: int, end: int) -> str:
    """The comment behind a command on its last line, else the comment lines right above it."""
    rest = source[end : source.find("\n", end) if "\n" in source[end:] else len(source)]
    if ";" in rest:
        return rest.split(";", 1)[1].lstrip("; ").strip()
    above: list[str] = []
    for line in reversed(source[:start].splitlines()):
        if not line.strip().startswith(";"):
            break
        above.insert(0, line.strip().lstrip("; "))
    return " ".join(above)


def moved(rule: Rule, ruleset: str) -> str:
    """The rule's text with another ruleset, so that each run can choose a subset of the rules."""
    return re.sub(rf":ruleset\s+{rule.ruleset}\b", f":ruleset {ruleset}", rule.text, count=1)


def partners(rules: Iterable[Rule]) -> dict[str, tuple[str, ...]]:
    """For each operator, those that take its result as first operand in a term that a rule matches; qualified names."""
    found: dict[str, dict[str, None]] = {}
    for rule in rules:
        _, first, *others = rule.expr
        matched = [first, others[0]] if rule.bidirectional else [first]
        terms = dict(_defined(first)) if rule.expr[0] == "rule" else {}
        for part in matched:
            for consumer, producer in _edges(part, terms):
                found.setdefault(producer, {})[consumer] = None
    return {producer: tuple(consumers) for producer, consumers in sorted(found.items())}


def _defined(facts: Expr) -> Iterator[tuple[str, Expr]]:
    for fact in facts if isinstance(facts, list) else ():
        match fact:
            case ["=", str() as variable, [str() as head, *_] as term] if head in constructors():
                yield variable, term


def _edges(expr: Expr, terms: dict[str, Expr]) -> Iterator[tuple[str, str]]:
    """The pairs of operators in nested terms: the outer one, and the one of its first operand."""
    if not isinstance(expr, list):
        return
    outer = constructors().get(expr[0]) if expr and isinstance(expr[0], str) else None
    if outer and outer.operands:
        operand = expr[1]
        operand = terms.get(operand, operand) if isinstance(operand, str) else operand
        inner = constructors().get(str(operand[0])) if isinstance(operand, list) else None
        if inner:
            yield outer.op.qualified, inner.op.qualified
    for part in expr:
        yield from _edges(part, terms)
