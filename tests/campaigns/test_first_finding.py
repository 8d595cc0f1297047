"""How soon short campaigns show a finding: the page, and what a campaign's progress tells."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import first_finding
from tests.support.commands import ROOT


def test_a_campaign_that_cannot_run_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"status 2: .*no-such"):
        first_finding.measured("no-such", 0, tmp_path)


def test_a_page_counts_campaigns_and_names_causes_that_are_not_known() -> None:
    causes = [{"text": "mismatch of A", "known": ""}, {"text": "alias of B", "known": "artifacts/bugs/001"}]
    row = {"compiler": "numpy", "version": "1", "seed": 1, "programs": 5, "first_s": 12.0, "causes": causes}
    page = first_finding.table([row, {**row, "seed": 2, "first_s": None, "causes": []}])
    assert "| numpy 1 | 2 | 1 | 1 | 12 | 1 |" in page
    assert page.endswith("not known\n\n- numpy, seed 1: mismatch of A\n")


def test_campaigns_run_with_the_options_of_make_fuzz() -> None:
    assert f"ARGS ?= --compiler inductor {' '.join(first_finding.OPTIONS)}\n" in (ROOT / "Makefile").read_text("utf-8")


def test_the_committed_page_is_that_of_the_committed_rows() -> None:
    page = first_finding.table(json.loads(first_finding.ROWS.read_text("utf-8")))
    assert page == first_finding.PAGE.read_text("utf-8")
