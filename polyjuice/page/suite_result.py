"""Turn the result of a suite into a page: the output of ``polyjuice suite run --json``, or pytest's JUnit XML."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from polyjuice import drawing
from polyjuice.frameworks.onnx import graph_files
from polyjuice.page.cards import pictures
from polyjuice.page.content import Card, Number, Page, Picture
from polyjuice.page.overview import duration
from polyjuice.suite.carried.harness.judging import FAILED, PASSED, SKIPPED
from polyjuice.suite.running import EXPECTED_FAILURE, STATUSES, UNEXPECTED_PASS, WRONG
from polyjuice.wording import counted

_TONES = {FAILED: "bad", UNEXPECTED_PASS: "bad", EXPECTED_FAILURE: "mark", PASSED: "good"}
_COUNTS = {status: status.replace(" ", "_") for status in STATUSES}
_ORDER = (FAILED, UNEXPECTED_PASS, EXPECTED_FAILURE, SKIPPED)


class PageError(ValueError):
    """The path is neither a campaign nor the result of a suite. The message is one line."""


def of_result(path: Path) -> Page:
    """The page of a suite's result. Raises PageError, DrawingMissing."""
    text = path.read_text(encoding="utf-8", errors="replace")
    result = _junit(path, text) if text.lstrip().startswith("<") else _json(path, text)
    counts = Counter({status: int(result.get(name, 0)) for status, name in _COUNTS.items()})
    results = sorted(result["results"], key=lambda one: (_ORDER.index(one["status"]), one["case"]))
    suite = Path(result["suite"]) if result["suite"] else None
    return Page(
        title=_title(result, counts, path),
        lead=list(_lead(result, counts, path)),
        numbers=[
            Number(f"{n:,}", status, _TONES.get(status, "") if n else "")
            for status, n in counts.items()
            if n or status in (PASSED, FAILED, SKIPPED)
        ],
        noun="cases",
        cards=[_card(one, f"c{n}", result, suite) for n, one in enumerate(results, 1)],
        environment={name: str(result[name]) for name in ("compiler", "version", "suite") if result[name]},
    )


def _title(result: Mapping[str, Any], counts: Mapping[str, int], path: Path) -> str:
    what = f"{result['compiler']} {result['version']}".strip() or path.name
    wrong = sum(counts[status] for status in WRONG)
    return f"{what}: " + (
        f"{wrong:,} of {counted(result['cases'], 'case')} not as expected" if wrong else "all as expected"
    )


def _lead(result: Mapping[str, Any], counts: Mapping[str, int], path: Path) -> Iterator[str]:
    what = f"{result['compiler']} {result['version']}".strip() or "A compiler"
    took = f" in {duration(result['elapsed_s'])}" if result["elapsed_s"] else ""
    yield f"{what} ran {counted(result['cases'], 'case')} of {result['suite'] or path.name}{took}."
    results = [f"{counts[status]:,} {status}" for status in STATUSES if counts[status]]
    yield f"Results: {', '.join(results)}."


def _json(path: Path, text: str) -> dict[str, Any]:
    try:
        result = dict(json.loads(text))
        needed = {"suite", "compiler", "version", "cases", "elapsed_s", "results"} - result.keys()
        known = all(one["status"] in _ORDER and {"case", "message"} <= one.keys() for one in result["results"])
    except (ValueError, TypeError, KeyError):
        needed, known = {"results"}, False
    if needed or not known:
        raise PageError(_NO_RESULT.format(path=path))
    return result


_NO_RESULT = (
    "{path} is not the result of a suite: give a campaign's folder, the output of polyjuice suite run --json, "
    "or the file of pytest --junitxml"
)


def _junit(path: Path, text: str) -> dict[str, Any]:
    """A result like that of ``suite run --json``, with empty texts for data that the XML lacks."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise PageError(f"{path} cannot be read as XML: {error}") from None
    if root.tag not in ("testsuites", "testsuite"):
        raise PageError(_NO_RESULT.format(path=path))
    results = [_test(case) for case in root.iter("testcase")]
    counts = Counter(one["status"] for one in results)
    seconds = sum(float(suite.get("time", 0)) for suite in root.iter("testsuite"))
    head = {"suite": "", "compiler": "", "version": "", "cases": len(results), "elapsed_s": seconds}
    failed = [one for one in results if one["status"] != PASSED]
    return {**head, **{name: counts[status] for status, name in _COUNTS.items()}, "results": failed}


def _test(case: ElementTree.Element) -> dict[str, str]:
    """A test of JUnit XML. A skipped test that pytest marks as xfail is an expected failure."""
    name = case.get("name", "")
    name = name.rpartition("[")[2].removesuffix("]") if name.endswith("]") else name
    for child in case:
        message = child.get("message") or (child.text or "")
        if child.tag in ("failure", "error"):
            return {"case": name, "status": FAILED, "message": _plain(message)}
        if child.tag == "skipped":
            expected = child.get("type") == "pytest.xfail"
            return {"case": name, "status": EXPECTED_FAILURE if expected else SKIPPED, "message": _plain(message)}
    return {"case": name, "status": PASSED, "message": ""}


def _plain(text: str) -> str:
    """A message without the exception's name in front."""
    return text.removeprefix("Failed: ").strip()


def _card(one: Mapping[str, str], key: str, result: Mapping[str, Any], suite: Path | None) -> Card:
    folder = suite / one["case"] if suite else None
    case = _case(folder)
    wrong = one["status"] in WRONG
    programs, note = _programs(folder, key, one["message"]) if folder and wrong else ((), "")
    first, _, rest = one["message"].partition("\n")
    commands = {}
    if suite and wrong:
        suite_text = shlex.quote(str(suite))
        commands["Run it alone"] = f"pytest {suite_text} --compiler {result['compiler']} -k {one['case']}"
    return Card(
        key=key,
        kind=one["status"],
        tone=_TONES.get(one["status"], ""),
        title=one["case"],
        message=first,
        programs=programs,
        programs_note=note,
        rules_lead="Rules that fired in the e-graph of the pair:" if programs and case.get("rules") else "",
        rules=dict.fromkeys(case.get("rules", ()), "") if programs else {},
        commands=commands,
        texts={"the whole message": one["message"]} if rest else {},
    )


def _case(folder: Path | None) -> dict[str, Any]:
    """The content of a case's ``case.json``; empty if there is none."""
    path = folder / "case.json" if folder else None
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path and path.is_file() else {}
    except ValueError:
        return {}


def _programs(folder: Path, key: str, message: str) -> tuple[Sequence[Picture], str]:
    """The two programs of a case, if the suite is available and holds them as ONNX models."""
    files = {"A": folder / "a.onnx", "B": folder / "b.onnx"}
    if not all(path.is_file() for path in files.values()):
        return (), ""
    try:
        graphs = {label: graph_files.load(path) for label, path in files.items()}
        captions = {label: f"Program {label.lower()}" for label in graphs}
        return pictures(key, graphs, captions, wrong=_wrong(message)), ""
    except (graph_files.FormatError, drawing.DrawingError) as error:
        return (), f"{error}."


def _wrong(message: str) -> dict[str, dict[int, str]]:
    """The outputs that a case's message calls wrong, by program."""
    found: dict[str, dict[int, str]] = {}
    for side, output in re.findall(r"^([ab]): output (\d+) ", message, re.MULTILINE):
        found.setdefault(side.upper(), {})[int(output)] = "is wrong"
    return found
