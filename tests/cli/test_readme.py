"""README shows a summary in the form that campaigns print."""

from __future__ import annotations

import re
from typing import Any

from polyjuice.campaign import coverage
from polyjuice.cli.summary import _rows
from tests.support.commands import ROOT


def test_the_sample_has_the_form_of_a_summary() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    sample = text.split("```text\ncompiler  ", 1)[1].split("\n\n", 1)[0]
    shown = dict(line.split(maxsplit=1) for line in f"compiler  {sample}".splitlines())
    assert _rows(read(shown)) == shown


def read(rows: dict[str, str]) -> dict[str, Any]:
    """The summary behind some rows."""

    def number(name: str, before: str, after: str) -> float:
        match = re.search(rf"{before}([\d.,]+) {after}", rows[name])
        return float(match[1].replace(",", "")) if match else 0

    def whole(name: str, before: str, after: str) -> int:
        return int(number(name, before, after))

    cases, confirm, triage, inside = (
        whole("spent", before, "%") for before in ("", "cases, ", "findings, ", "triage; ")
    )
    assert cases + confirm + triage == 100
    compiler, version = rows["compiler"].split()
    kinds = re.findall(r", (\d+) (\w+)", rows["met"])
    return {
        "compiler": compiler,
        "version": version,
        "tested": whole("tested", "", "case"),
        "programs": whole("tested", "", "program"),
        "pairs": whole("tested", "", "pair"),
        "packs": whole("tested", "", "pack"),
        "programs_per_second": number("speed", "", "programs"),
        "pairs_per_second": number("speed", "", "pairs"),
        "skipped": int(rows["skipped"].split()[0]),
        "skipped_reasons": {reason: int(n) for n, reason in re.findall(r"(\d+) (\w+)[,)]", rows["skipped"])},
        "causes": whole("findings", "", "cause"),
        "known_causes": whole("findings", "; ", "of them known"),
        "causes_of_pairs": whole("findings", "; ", "of them only in pairs"),
        "untriaged": whole("findings", "; ", "not yet triaged"),
        "findings": whole("findings", "", "cause") + whole("findings", "in ", "group"),
        "raw_findings": whole("met", "", "finding"),
        "by_kind": {kind: int(n) for n, kind in kinds},
        "elapsed_s": number("time", "", "s"),
        "probe_s": number("time", "; ", "s of it"),
        "share": {"confirm": confirm / 100, "triage": triage / 100, "compile": inside / 100, "run": 0.0},
        "out": rows["folder"],
        "known": {url: int(n) for n, url in re.findall(r"(\d+) × (\S+?)(?:,|$)", rows.get("known", ""))},
        "coverage": {
            coverage.TYPE: {"covered": whole("coverage", "", "of"), "of": whole("coverage", "of ", "pairs")},
            **{name: {"share": float(n) / 100} for n, name in re.findall(r"([\d.]+) % of (\w+)s", rows["coverage"])},
        },
        "unsound_variants": 0,
        "defects": 0,
        "disturbed": 0,
        "died": 0,
    }
