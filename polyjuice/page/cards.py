"""The content of a page as plain data, how a finding becomes a card, and the templates that make one HTML file."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from polyjuice import drawing
from polyjuice.compilers import EnvironmentProblem
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.frameworks.onnx import graph_files
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, array_text
from polyjuice.oracles import Kind, kind_of
from polyjuice.page import plots
from polyjuice.page.plots import Picture
from polyjuice.triage import FindingError, listing
from polyjuice.triage import stored as stored_findings
from polyjuice.triage.explanation import accountable, default_rules
from polyjuice.triage.ranking import rank
from polyjuice.triage.record import FindingRecord, read_record
from polyjuice.triage.reduction.edits import traced
from polyjuice.triage.report.values import table_rows
from polyjuice.triage.stored import Stored, title_of
from polyjuice.wording import counted

NOT_ISOLATED = "not isolated"
"""The text for findings that no small set of compiler parts causes."""

#: The most rules and operators that a card names, and the most characters of a text and of a value.
_RULES, _NAMED, _TEXT, _VALUE = 5, 8, 60_000, 200

#: The largest program that the interpreter runs for the page: its nodes, and the elements of all its values.
_NODES, _ELEMENTS = 200, 1_000_000


@dataclass(frozen=True, kw_only=True)
class Found:
    """A finding's folder: its record, and its programs and inputs; ``problem`` says what cannot be read."""

    folder: Path
    record: FindingRecord | None = None
    stored: Stored | None = None
    problem: str = ""

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """The programs by label."""
        return self.stored.graphs if self.stored else {}

    @property
    def wrong(self) -> Graph | None:
        """The wrong program, or else the first."""
        culprit = self.record.culprit if self.record else ""
        return self.graphs.get(culprit) or next(iter(self.graphs.values()), None)


def in_folder(folder: Path) -> list[Found]:
    """The findings in a folder, in the order of `rank`; those that cannot be read come last."""
    found = [read(path.parent) for path in sorted(folder.glob("*/finding.json")) if path.parent.name[0] != "."]
    return sorted(found, key=lambda one: (one.record is None, rank(vars(one.record)) if one.record else ()))


def read(folder: Path) -> Found:
    """The finding of a folder."""
    try:
        record = read_record(folder)
    except (FindingError, graph_files.FormatError, EnvironmentProblem) as error:
        return Found(folder=folder, problem=str(error))
    try:
        return Found(folder=folder, record=record, stored=stored_findings.load(folder))
    except (FindingError, graph_files.FormatError, OSError) as error:
        return Found(folder=folder, record=record, problem=str(error))


def card(found: Found, key: str, shown: Path) -> Card:
    """A finding as a card. ``shown`` is its folder in the card's commands. Raises DrawingMissing."""
    record = found.record
    if record is None:
        return Card(
            key=key,
            kind="cannot be read",
            tone="mark",
            title=found.folder.name,
            message=found.problem,
            texts=dict(_texts(found.folder)),
        )
    programs, note = _programs(found, record, key)
    lead, rules = _equality(found, record)
    printed = {"traceback": record.traceback, "output of repro.py": record.printed}
    return Card(
        key=key,
        kind=title_of_kind(record.kind),
        tone="" if record.known else "mark" if _fails(record) else "bad",
        title=title_of(found.folder) or record.signature,
        message=" ".join(record.message.split()),
        chips=_chips(record),
        facts=_facts(found, record),
        programs=programs,
        programs_note=note,
        plot=plots.values(record, f"{key}-plot"),
        values=_table(record),
        rules_lead=lead,
        rules=rules,
        sentences=record.bisection.get("sentences", ()) if record.bisection.get("shown") else (),
        commands=_commands(record, shown),
        texts={**dict(_texts(found.folder)), **{name: text[-_TEXT:] for name, text in printed.items() if text}},
    )


def title_of_kind(name: str) -> str:
    """The name of a kind of findings on the page: its own name if no oracle here has the kind."""
    kind = known_kind(name)
    return kind.title if kind else name


def known_kind(name: str) -> Kind | None:
    """A kind of findings; None if the package of its oracle is not here."""
    try:
        return kind_of(name)
    except EnvironmentProblem:
        return None


def _fails(record: FindingRecord) -> bool:
    kind = known_kind(record.kind)
    return kind is not None and kind.failure


def _compares_values(record: FindingRecord) -> bool:
    kind = known_kind(record.kind)
    return kind is not None and kind.values


def _chips(record: FindingRecord) -> list[str]:
    chips = ["known"] if record.known else []
    chips += [record.oracle] if record.oracle != record.kind else []
    chips += [counted(record.more, "duplicate")] if record.more else []
    return chips + (["not reduced"] if not record.reduction else [])


def _facts(found: Found, record: FindingRecord) -> dict[str, str]:
    wrong = found.wrong
    facts = {
        "Culprit part": " and ".join(record.blame) or NOT_ISOLATED,
        "Wrong side": record.culprit if record.b else "",
        "Operators": _operators(wrong) if wrong else "",
        "Element types": ", ".join(dict.fromkeys(t.dtype for t in wrong.types.values())) if wrong else "",
        "Reproducer": _REPRODUCED.get(record.repro_exit, ""),
        "Known bug": record.known,
        "Looks like": record.regression,
        "Not read": found.problem,
        "Case": f"{record.index} of seed {record.seed}",
    }
    return {name: text for name, text in facts.items() if text}


def _operators(graph: Graph) -> str:
    counts = Counter(node.qualified for node in graph.nodes)
    names = [f"{name} × {n}" if n > 1 else name for name, n in counts.items()]
    left = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {left} more" if left > 0 else "")


_REPRODUCED = {
    1: "repro.py shows the bug",
    0: "repro.py does not show the bug",
    2: "repro.py could not run",
    None: "repro.py did not end",
}


def _programs(found: Found, record: FindingRecord, key: str) -> tuple[Sequence[Picture], str]:
    if not found.stored:
        return (), "The programs cannot be read."
    graphs = found.graphs
    wrong: dict[str, dict[int, str]] = {}
    captions = {}
    for letter, label in zip("AB", graphs, strict=False):
        captions[label] = f"Program {letter} ({label})" if len(graphs) > 1 else "The program"
        if label == record.culprit:
            captions[label] += ": wrong" if _compares_values(record) else ": fails"
        if _compares_values(record) and (label == record.culprit or record.culprit not in graphs):
            wrong[label] = {record.output: _first_difference(record, label)}
    try:
        return pictures(key, graphs, captions, found.stored.inputs, wrong), ""
    except drawing.DrawingError as error:
        return (), f"{error}."


def _first_difference(record: FindingRecord, label: str) -> str:
    """The first differing element in the record: its position, its value, and the expected value."""
    rows = [row for row in record.values if label in row["compiled"]]
    if not rows:
        return "is wrong"
    row = min(rows, key=lambda row: tuple(row["at"]))
    place = f"at {row['at']}:" if row["at"] else "is"
    return f"{place} {_short(row['compiled'][label])}\nshould be {_short(row['float64'])}"


def _short(number: str) -> str:
    """A number with few digits. Texts that are not real numbers stay unchanged."""
    try:
        return number if len(number) < 12 else f"{float(number):.9g}"
    except ValueError:
        return number


def _table(record: FindingRecord) -> list[list[str]]:
    rows = record.values
    if not rows:
        return []
    labels, plain = list(rows[0]["compiled"]), list(rows[0]["uncompiled"])
    if len(labels) > 1:
        heads = [*(f"{label}, compiled" for label in labels), *(f"{label}, not compiled" for label in plain)]
    else:
        heads = ["compiled", *(["not compiled"] * len(plain))]
    return [["element", *heads, "float64", "allowed difference"], *table_rows(record)]


def _equality(found: Found, record: FindingRecord) -> tuple[str, Mapping[str, str]]:
    """Why two programs are equal: a sentence, and rules with their mathematics."""
    if len(found.graphs) < 2:
        return "", record.explanation or {}
    if record.explanation is None:
        fired = [rule for rule in default_rules() if rule.name in {*record.rules}]
        a, b = found.graphs.values()
        likely = {rule.name: rule.comment for rule in accountable(a, b, fired)[:_RULES]}
        lead = "Both programs were rewritten from one graph."
        return f"{lead} These of the applied rules may explain the difference:" if likely else lead, likely
    if not record.explanation:
        different: list[str] = []
        with suppress(Unlowerable):  # by this version
            programs = found.stored.artifacts.values() if found.stored else ()
            different = listing.differences(*map(listing.shown, programs)) if programs else []
        return " ".join(["The two graphs are equal.", *different]).replace("`", ""), {}
    which = "One rule rewrites" if len(record.explanation) == 1 else "These rules together rewrite"
    return f"{which} one program to the other:", record.explanation


def _commands(record: FindingRecord, shown: Path) -> dict[str, str]:
    folder = shlex.quote(str(shown))
    commands = {
        "Does it still show?": f"polyjuice replay {folder}",
        "Does it show in another release?": f"polyjuice replay {folder} --python OTHER/bin/python",
    }
    if not record.blame:
        commands["Which part is to blame?"] = f"polyjuice bisect {folder} --time 5m"
    if not record.reduction:
        commands["Make it smaller"] = f"polyjuice reduce {folder}"
    if not record.known:
        commands["It is reported already: count it, but hide it"] = f"polyjuice known add {folder} --url URL"
    return {
        **commands,
        "Keep it as a regression test": f"polyjuice suite add {folder} SUITE",
    }


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    for path in (folder / "report.md", folder / "repro.py"):
        if path.is_file():
            text = path.read_text("utf-8", "replace")
            yield path.name, text if len(text) <= _TEXT else f"{path} is too long to show here.\n"


def pictures(
    key: str,
    graphs: Mapping[str, Graph],
    captions: Mapping[str, str],
    inputs: Sequence[np.ndarray] = (),
    wrong: Mapping[str, Mapping[int, str]] | None = None,
) -> list[Picture]:
    """A drawing of each graph, with the nodes that the other lacks highlighted.

    ``captions`` and ``wrong`` are by the graphs' labels; ``wrong`` maps outputs to their errors. With ``inputs``, a
    drawing shows each value that the interpreter computes. Raises DrawingMissing, DrawingError.
    """
    differs: Mapping[str, frozenset[int]] = {}
    if len(graphs) == 2:
        differs = dict(zip(graphs, drawing.differing(*graphs.values()), strict=True))
    found = []
    for letter, (label, graph) in zip("ab", graphs.items(), strict=False):
        side = drawing.Side(
            title=label,
            graph=graph,
            differs=differs.get(label, frozenset()),
            wrong=(wrong or {}).get(label, {}),
            shown=computed(graph, inputs),
        )
        svg = drawing.draw([side], f"{key}-{letter}", _in_words(side))
        found.append(Picture(svg, captions[label]))
    return found


def _in_words(side: drawing.Side) -> str:
    names = ", ".join(dict.fromkeys(node.qualified for node in side.graph.nodes)) or "no operator"
    differs = [side.graph.nodes[place].qualified for place in sorted(side.differs)]
    text = f"Program {side.title}: {names}."
    return f"{text} Only this program has {', '.join(differs)}." if differs else text


def computed(graph: Graph, inputs: Sequence[np.ndarray]) -> dict[str, str]:
    """Each value of a program as a text, with floats in float64; empty if the program is too large."""
    large = len(graph.nodes) > _NODES or sum(type.size for type in graph.types.values()) > _ELEMENTS
    if large or len(inputs) != len(graph.inputs):
        return {}
    try:
        values = traced(graph, inputs, "float64")
    except EvaluationError:
        return {}
    texts = {name: array_text(x.astype(np.float64) if x.dtype.kind == "V" else x) for name, x in values.items()}
    return {name: f"= {t if len(t) <= _VALUE else t[: _VALUE - 1] + '…'}" for name, t in texts.items()}


_TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True, kw_only=True)
class Card:
    """A root cause, or a case of a suite.

    ``tone`` is the CSS class of its colours. ``facts`` maps names to texts. ``values`` is a table whose first row is
    the heading. ``texts`` maps names to longer texts, and ``commands`` maps purposes to lines for a shell.
    """

    key: str
    kind: str
    tone: str
    title: str
    message: str
    chips: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    programs: Sequence[Picture] = ()
    programs_note: str = ""
    plot: Picture | None = None
    values: Sequence[Sequence[str]] = ()
    rules_lead: str = ""
    rules: Mapping[str, str] = field(default_factory=dict)
    sentences: Sequence[str] = ()
    commands: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def searched(self) -> str:
        """The lowercase text that a search looks at."""
        words = [self.key, self.kind, self.title, self.message, *self.chips, *self.facts.values(), *self.rules]
        return " ".join(words).lower()


@dataclass(frozen=True, kw_only=True)
class Page:
    """All content of a page. Empty parts are left out.

    - ``numbers`` at the top of the page: each as a text, what it counts, and a CSS class.
    - ``groups`` of similar findings that were not triaged: what they have in common, how many, and some of them.
    - ``parts`` of the compiler: a sentence, and rows with the name, counts, and a note.
    - ``coverage`` and ``time`` are bar charts: names, fractions, and meanings.
    - ``heat`` maps operators to cells, one for each of the ``columns``: a CSS class, a text, and a tooltip.
    """

    title: str
    lead: Sequence[str]
    numbers: Sequence[tuple[str, str, str]]
    noun: str
    cards: Sequence[Card]
    groups: Sequence[tuple[str, int, Sequence[str]]] = ()
    growth: Sequence[Picture] = ()
    parts: tuple[str, Sequence[Sequence[str]]] = ("", ())
    coverage: Sequence[tuple[str, float, str]] = ()
    columns: Sequence[str] = ()
    heat: Mapping[str, Sequence[tuple[str, str, str]]] = field(default_factory=dict)
    time: Sequence[tuple[str, float, str]] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, Sequence[str]] = field(default_factory=dict)


def render(page: Page) -> str:
    """The page as HTML. All texts are escaped; drawings are SVG elements."""
    return _environment().get_template("page.html").render(page=page) + "\n"


def _code(text: str) -> Markup:
    """A sentence in which the text between backticks is code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters.update(svg=Markup, code=_code)
    environment.globals.update(
        style=Markup((_TEMPLATES / "page.css").read_text(encoding="utf-8") + drawing.STYLE.read_text(encoding="utf-8")),
        script=Markup((_TEMPLATES / "page.js").read_text(encoding="utf-8")),
        light=Markup(drawing.variables(drawing.LIGHT)),
        dark=Markup(drawing.variables(drawing.DARK)),
    )
    return environment
