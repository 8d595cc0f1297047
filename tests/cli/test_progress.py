"""What a campaign shows while it runs, on a terminal of 80 columns and without one."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.loop import TESTING, TRIAGING
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.store import Store
from polyjuice.cli import progress
from polyjuice.cli.common import Terminal
from polyjuice.cli.progress import CampaignProgress
from polyjuice.triage.automatic import Triaged
from tests.support.findings import named

RESULT = CaseResult(index=0, programs=4, seconds={"compile": 6.0, "judge": 2.0}, findings=[named("000000-0-mismatch")])


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[tuple[Config, Store]]:
    config = Config(compiler="numpy", time_s=120.0, cases=None, workers=2)
    store = Store.create(tmp_path / "c", config)
    yield config, store
    store.close()


def shown_on(console: Terminal, campaign: tuple[Config, Store], monkeypatch: pytest.MonkeyPatch) -> CampaignProgress:
    """Progress 60 s after the start: one case, and one cause found 10 s ago."""
    now = [1000.0]
    monkeypatch.setattr(progress, "stderr", console)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    live = CampaignProgress(*campaign)
    live.goes_on("starting numpy", 120.0, 2)
    now[0] += 6.0
    live.goes_on("asking which operators it takes", 120.0, 2)
    live.case(RESULT)
    now[0] += 44.0
    live.triaged(Triaged(name="000000-0-mismatch", cause="mismatch of Add", record={"operators": {"a": 1}}), "")
    now[0] += 10.0
    live.goes_on(TESTING, 60.0, 2)
    return live


def test_the_panel_says_how_much_is_done_found_and_left(
    campaign: tuple[Config, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Terminal(force_terminal=True, width=80, file=io.StringIO(), color_system=None)
    live = shown_on(console, campaign, monkeypatch)
    with console.capture() as captured:
        console.print(live._panel())
    lines = captured.get().splitlines()
    assert {len(line) for line in lines} == {80}
    text = "\n".join(lines)
    assert "numpy: testing" in text
    assert "1 of about 2 cases" in text
    assert "1 programs/s, 75 % inside the compiler" in text
    assert "1 finding (1 triaged)" in text
    assert "1 cause, the last new one 10 s ago" in text
    assert "▁" in text
    assert text.index("▁") < text.index("█"), "the curve of causes rises"
    assert "60 s since the start, 60 s left" in text


def test_without_a_terminal_each_phase_and_each_quarter_of_a_minute_has_a_line(
    campaign: tuple[Config, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.StringIO()
    live = shown_on(Terminal(file=file, soft_wrap=True, width=240), campaign, monkeypatch)
    live.goes_on(TESTING, 59.0, 2)
    live.goes_on(TRIAGING, 60.0, 2)
    lines = [line for line in file.getvalue().splitlines() if line.endswith(("takes", "left", "most"))]
    rest = "1 programs/s, 75 % inside the compiler; 1 finding (1 triaged); 60 s left"
    assert lines == [
        "     6 s  asking which operators it takes",
        f"    60 s  testing; 1 of about 2 cases; {rest}",
        f"    60 s  triage; 1 case; {rest} at most",
    ]
    assert "\x1b" not in file.getvalue()
