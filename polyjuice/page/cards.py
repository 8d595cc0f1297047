"""Turn a finding's folder into a card of the page. A card leaves out everything that its folder lacks."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from polyjuice import drawing, formats
from polyjuice.compilers import EnvironmentProblem
from polyjuice.ir import Graph
from polyjuice.lower import Unlowerable
from polyjuice.oracles import KINDS, Kind, kind_of
from polyjuice.page import plots
from polyjuice.page.content import Card, Picture, Record, as_record
from polyjuice.page.programs import pictures
from polyjuice.stored_files import StoredError, read_json
from polyjuice.triage import FindingError, listing
from polyjuice.triage import stored as stored_findings
from polyjuice.triage.explanation import accountable, default_rules
from polyjuice.triage.stored import Stored
from polyjuice.wording import counted

NOT_ISOLATED = "not isolated"
"""The text for findings that no small set of compiler parts causes."""

#: The most rules and operators that a card names, and the most characters of a text on the page.
_RULES, _NAMED, _TEXT = 5, 8, 60_000


@dataclass(frozen=True, kw_only=True)
class Found:
    """A finding read from its folder: its ``finding.json``, and its programs and inputs if they are readable.

    ``differences`` describes how the sources of two programs with equal graphs differ.
    """

    folder: Path
    record: Record
    graphs: Mapping[str, Graph] = field(default_factory=dict)
    inputs: Sequence[np.ndarray] = ()
    differences: Sequence[str] = ()
    problem: str = ""

    @property
    def wrong(self) -> Graph | None:
        """The wrong program, or else the first."""
        return self.graphs.get(self.record.get("culprit", "")) or next(iter(self.graphs.values()), None)


def in_folder(folder: Path, limits: formats.ReadLimits) -> list[Found]:
    """Return the findings in a folder: silent kinds first, then reduced ones, then those with the most duplicates."""
    found = [read(path.parent, limits) for path in sorted(folder.glob("*/finding.json")) if path.parent.name[0] != "."]
    kinds = list(KINDS)

    def order(one: Found) -> tuple[bool, int, bool, int]:
        kind = one.record.get("kind", "")
        number = kinds.index(kind) if kind in kinds else len(kinds)
        return _fails(one.record), number, not one.record.get("reduction"), -one.record.get("more", 0)

    return sorted(found, key=order)


def read(folder: Path, limits: formats.ReadLimits) -> Found:
    """Return the finding of a folder, written by any version."""
    try:
        record = as_record(read_json(folder / "finding.json"))
    except StoredError as error:
        return Found(folder=folder, record={"folder": folder.name}, problem=str(error))
    try:
        stored = stored_findings.load(folder, limits=limits)
    except (FindingError, formats.FormatError, OSError) as error:
        return Found(folder=folder, record=record, problem=str(error))
    return Found(
        folder=folder, record=record, graphs=stored.graphs, inputs=stored.inputs, differences=_differences(stored)
    )


def _differences(stored: Stored) -> list[str]:
    """Return the differences between the sources of equal graphs; empty if they cannot be lowered again."""
    if stored.record.explanation != {} or len(stored.graphs) < 2:
        return []
    try:
        return listing.differences(*map(listing.shown, stored.artifacts.values()))
    except Unlowerable:
        return []


def card(found: Found, key: str, shown: Path) -> Card:
    """Return a finding as a card. ``shown`` is its folder in the card's commands. Raises DrawingMissing."""
    record = found.record
    programs, note = _programs(found, key)
    explained = record.get("explanation")
    return Card(
        key=key,
        kind=title_of_kind(record.get("kind", "")),
        tone="mark" if _fails(record) else "bad",
        title=title_of(found),
        message=_one_line(record.get("message", found.problem)),
        chips=_chips(record),
        facts=_facts(found),
        programs=programs,
        programs_note=note,
        plot=plots.values(record, f"{key}-plot"),
        values=_table(record),
        rules_lead=_rules_lead(found),
        rules=_rules(found) if explained is None else {name: text or "" for name, text in explained.items()},
        sentences=record.get("bisection", {}).get("sentences", ()) if record.get("bisection", {}).get("shown") else (),
        commands=_commands(record, shown),
        texts=dict(_texts(found)),
    )


def title_of(found: Found) -> str:
    """Return the title of the report, or else what identifies the finding."""
    record, report = found.record, found.folder / "report.md"
    if record.get("title"):
        return str(record["title"])
    text = report.read_text("utf-8", "replace") if report.is_file() else ""
    title = re.search(r"^(?:<!-- )?Title: (.+?)(?: -->)?$|^# (.+)$", text, re.MULTILINE)
    if title:
        return title[1] or title[2]
    return str(record.get("signature") or record.get("folder", found.folder.name))


def title_of_kind(name: str) -> str:
    """Return the name of a kind of findings on the page: its own name if no oracle here has the kind."""
    kind = known_kind(name)
    return kind.title if kind else name


def known_kind(name: str) -> Kind | None:
    """Return a kind of findings; None if the package of its oracle is not here."""
    try:
        return kind_of(name)
    except EnvironmentProblem:
        return None


def _fails(record: Record) -> bool:
    kind = known_kind(record.get("kind", ""))
    return kind is not None and kind.failure


def _compares_values(record: Record) -> bool:
    kind = known_kind(record.get("kind", ""))
    return kind is not None and kind.values


def part_of(record: Record) -> str:
    """Return the compiler parts to blame."""
    blame = record.get("blame") or ()
    return " and ".join(map(str, blame)) or NOT_ISOLATED


def _chips(record: Record) -> list[str]:
    more = record.get("more", 0)
    chips = [record.get("oracle", "")] if record.get("oracle") != record.get("kind") else []
    chips += [counted(more, "duplicate")] if more else []
    chips += ["not reduced"] if not record.get("reduction") else []
    return [chip for chip in chips if chip]


def _facts(found: Found) -> dict[str, str]:
    record, wrong = found.record, found.wrong
    facts = {
        "Culprit part": part_of(record),
        "Wrong side": record.get("culprit", "") if record.get("b") else "",
        "Operators": _operators(wrong) if wrong else "",
        "Element types": ", ".join(dict.fromkeys(t.dtype for t in wrong.types.values())) if wrong else "",
        "Reproducer": _REPRODUCED.get(record.get("repro_exit", 1), ""),
        "Looks like": record.get("regression", ""),
        "Not read": found.problem,
        "Case": f"{record['index']} of seed {record.get('seed', '')}" if "index" in record else "",
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


def _programs(found: Found, key: str) -> tuple[Sequence[Picture], str]:
    """Return the drawings, or a note if there are none."""
    record = found.record
    if not found.graphs:
        return (), "The programs cannot be read." if found.problem else ""
    wrong: dict[str, dict[int, str]] = {}
    if _compares_values(record):
        sides = [label for label in found.graphs if label == record.get("culprit")] or list(found.graphs)
        wrong = {label: {record.get("output", 0): _first_difference(record, label)} for label in sides}
    try:
        return pictures(key, found.graphs, dict(_captions(found)), found.inputs, wrong), ""
    except drawing.DrawingError as error:
        return (), f"{error}."


def _captions(found: Found) -> Iterator[tuple[str, str]]:
    record = found.record
    for letter, label in zip("AB", found.graphs, strict=False):
        caption = f"Program {letter} ({label})" if len(found.graphs) > 1 else "The program"
        if label == record.get("culprit"):
            caption += ": wrong" if _compares_values(record) else ": fails"
        yield label, caption


def _first_difference(record: Record, label: str) -> str:
    """Return the first differing element in the record: its position, its value, and the expected value."""
    rows = [row for row in record.get("values", ()) if label in row["compiled"]]
    if not rows:
        return "is wrong"
    row = min(rows, key=lambda row: tuple(row["at"]))
    place = f"at {row['at']}:" if row["at"] else "is"
    return f"{place} {_short(row['compiled'][label])}\nshould be {_short(row['float64'])}"


def _short(number: str) -> str:
    """Return a number with few digits. Texts that are not real numbers stay unchanged."""
    try:
        return number if len(number) < 12 else f"{float(number):.9g}"
    except ValueError:
        return number


def _table(record: Record) -> list[list[str]]:
    """Return the elements that differ most, below a row of headings."""
    rows = record.get("values", ())
    if not rows:
        return []
    labels = list(rows[0]["compiled"])
    heads = ["element", *(f"{label}, compiled" for label in labels)] if len(labels) > 1 else ["element", "compiled"]
    plain = list(rows[0]["uncompiled"])
    heads += [f"{label}, not compiled" for label in plain] if len(labels) > 1 else ["not compiled"] * len(plain)
    body = [
        [str(row["at"]), *row["compiled"].values(), *row["uncompiled"].values(), row["float64"], row["allowed"]]
        for row in rows
    ]
    return [[*heads, "float64", "allowed difference"], *body]


def _rules_lead(found: Found) -> str:
    record = found.record
    if len(found.graphs) < 2:
        return ""
    if record.get("explanation") is None:
        lead = "Both programs were rewritten from one graph."
        return f"{lead} These of the applied rules may explain the difference:" if _rules(found) else lead
    if not record["explanation"]:
        return " ".join(["The two graphs are equal.", *found.differences]).replace("`", "")
    if len(record["explanation"]) == 1:
        return "One rule rewrites one program to the other:"
    return "These rules together rewrite one program to the other:"


def _rules(found: Found) -> dict[str, str]:
    """Return a few of the applied rules that mention what differs, with their mathematics."""
    if len(found.graphs) < 2:
        return {}
    applied = set(found.record.get("rules", ()))
    fired = [rule for rule in default_rules() if rule.name in applied]
    a, b = found.graphs.values()
    return {rule.name: rule.comment for rule in accountable(a, b, fired)[:_RULES]}


def _commands(record: Record, shown: Path) -> dict[str, str]:
    folder = shlex.quote(str(shown))
    commands = {
        "Does it still show?": f"polyjuice replay {folder}",
        "Does it show in another release?": f"polyjuice replay {folder} --python OTHER/bin/python",
    }
    if not record.get("blame"):
        commands["Which part is to blame?"] = f"polyjuice bisect {folder} --time 5m"
    if not record.get("reduction"):
        commands["Make it smaller"] = f"polyjuice reduce {folder}"
    return {
        **commands,
        "It is reported already: count it, but hide it": f"polyjuice known add {folder} --url URL",
        "Keep it as a regression test": f"polyjuice suite add {folder} SUITE",
    }


def _texts(found: Found) -> Iterator[tuple[str, str]]:
    """Yield texts that a reader may want to copy."""
    for name in ("report.md", "repro.py"):
        path = found.folder / name
        if path.is_file():
            text = path.read_text("utf-8", "replace")
            yield name, text if len(text) <= _TEXT else f"{path} is too long to show here.\n"
    if found.record.get("traceback"):
        yield "traceback", found.record["traceback"][-_TEXT:]
    if found.record.get("printed"):
        yield "output of repro.py", found.record["printed"][-_TEXT:]


def _one_line(text: str) -> str:
    return " ".join(text.split())
