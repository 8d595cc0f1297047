"""Each page that adds a part to Polyjuice, done by the letter: in an empty folder, until a planted fault is found."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.commands import ROOT, polyjuice, record, run
from tests.support.pages import blocks, missing, with_first_finding
from tests.support.plugins import importing_from

_COMMAND = re.compile(r"(?:PYTHONPATH=\$PWD )?(polyjuice|python) ([^;]+)(?:; echo status \$\?)?")


def done(command: str, folder: Path) -> str:
    """Run a command of a page in a folder that Python imports from, and return its output."""
    match = _COMMAND.fullmatch(with_first_finding(command, folder))
    assert match, f"the test knows no such command: {command}"
    runner = polyjuice if match[1] == "polyjuice" else run
    ended = runner(*shlex.split(match[2]), env=importing_from(folder), cwd=folder)
    return f"{ended.stdout}{ended.stderr}\nstatus {ended.returncode}\n"


@pytest.mark.parametrize("name", ["compiler", "format", "oracle"])
def test_a_page_leads_to_a_finding_of_its_planted_fault(name: str, tmp_path: Path) -> None:
    for block in blocks((ROOT / f"docs/howto/{name}.md").read_text(encoding="utf-8")):
        if block.title:
            (tmp_path / block.title).parent.mkdir(exist_ok=True)
            (tmp_path / block.title).write_text(block.text)
        for command, shown in block.shown:
            output = done(command, tmp_path)
            assert not missing(shown, output), f"{command}\n{output}"
    (finding, *_) = sorted((tmp_path / "found/findings").iterdir())
    assert record(finding)["repro_exit"] == 1
    assert (finding / "repro.py").read_text() in (finding / "report.md").read_text()
