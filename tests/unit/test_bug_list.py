"""``make bugs`` compares the reproducers' results with the list, and reports every difference."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from polyjuice.cli.common import USAGE
from scripts import bug_list, bugs
from scripts.bug_list import Bug, BugList, ListError
from tests.support.commands import ROOT

SHOWN = Bug(
    "001",
    "onnxruntime",
    "a sum is wrong",
    "wrong result",
    "optimizer",
    True,
    "`x | y` is wrong",
    "Fuse",
    {"1.0": "shows", "1.1": "shows"},
)
MENDED = replace(SHOWN, number="002", status={"1.1": "right"}, duplicate_of="001")
LIST = """
[newest]
onnxruntime = "1.1"

[[bug]]
number = "001"
compiler = "onnxruntime"
title = "a sum is wrong"
kind = "wrong result"
component = "optimizer"
mainstream = true
what = "x + y is wrong"
where = "Fuse"
status = { "1.1" = "shows" }  # seen twice
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of one bug, its folder and its README."""
    (tmp_path / "001-onnxruntime-sum").mkdir()
    (tmp_path / "status.toml").write_text(LIST)
    tables = "".join(f"<!-- table: {name} -->\nold\n<!-- end: {name} -->\n" for name in ("open", "mended"))
    (tmp_path / "README.md").write_text(f"# Bugs\n{tables}The end\n")
    for name, path in {"FOLDER": tmp_path, "LIST": tmp_path / "status.toml", "README": tmp_path / "README.md"}.items():
        monkeypatch.setattr(bug_list, name, path)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str, *options: str, version: str = "1.1") -> int:
    """The exit status of the script with this code as the reproducer, in an interpreter that has this version."""
    (folder / "001-onnxruntime-sum/repro.py").write_text(f"import sys\n{code}\n")
    monkeypatch.setattr(bugs, "_ASK_VERSION", f"print({version!r})")
    monkeypatch.setattr(sys, "argv", ["bugs.py", "--python", f"onnxruntime={sys.executable}", *options])
    return bugs.main()


@pytest.mark.parametrize(
    ("code", "version", "status", "message"),
    {
        "shows": ("sys.exit(1)", "1.1+cpu", 0, "001 ONNX Runtime 1.1: shows, as listed (shows); 0 s: a sum is wrong"),
        "right": ("sys.exit(0)", "1.1", 1, "right, but the list says shows"),
        "another release": ("sys.exit(1)", "1.2", 1, "1.2: shows, but the list says nothing"),
        "fails": ("print('no such'); sys.exit(2)", "1.1", 2, "could not run: exit status 2: no such"),
        "hangs": ("import time; time.sleep(60)", "1.1", 2, "could not run: it did not end within 2 s"),
    }.values(),
    ids=["shows", "right", "another release", "fails", "hangs"],
)
def test_a_reproducer_is_held_against_the_list(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
    version: str,
    status: int,
    message: str,
) -> None:
    assert run(monkeypatch, folder, code, "--timeout", "2", version=version) == status
    printed = capsys.readouterr().out
    assert message in printed
    assert f"other than the list says: {'001' if status == 1 else 'none'}" in printed


def test_what_depends_on_the_machine_may_be_either(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "status.toml").write_text(LIST.replace('"shows"', '"depends"'))
    assert [run(monkeypatch, folder, f"sys.exit({status})") for status in (0, 1)] == [0, 0]


def test_what_was_seen_is_written_into_the_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, folder, "sys.exit(0)", "--write", version="1.2") == 1
    text = (folder / "status.toml").read_text()
    assert tomllib.loads(text)["bug"][0]["status"] == {"1.1": "shows", "1.2": "right"}
    assert "# seen twice" in text
    assert "1.1 shows, 1.2 right" in (folder / "README.md").read_text()


def test_a_table_has_what_is_mended_apart(folder: Path) -> None:
    (folder / "002-onnxruntime-sum").mkdir()
    text = bug_list.with_tables((folder / "README.md").read_text(), BugList({"onnxruntime": "1.1"}, [SHOWN, MENDED]))
    shown, mended = text.split("<!-- end: open -->")
    assert "[001](001-onnxruntime-sum) | ONNX Runtime | wrong result" in shown
    assert "| optimizer | Fuse | yes | 1.0 shows, 1.1 shows | not yet |" in shown
    assert "| Fuse. The cause is that of 001 | yes | 1.1 right |" in mended
    assert "old" not in text
    assert text.endswith("The end\n")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[newest]", "[newest", "is not TOML"),
        ('title = "a sum is wrong"', "", "bug 001: "),
        ("where", "were", "bug 001: were is unknown"),
        ('"optimizer"', '"passes"', "component passes is not one of optimizer, code generator"),
        ('"shows"', '"hangs"', "status hangs is not one of shows, right, depends"),
    ],
)
def test_a_mistake_in_the_list_is_reported(folder: Path, old: str, new: str, reason: str) -> None:
    (folder / "status.toml").write_text(LIST.replace(old, new))
    with pytest.raises(ListError, match=reason.replace(".", r"\.")):
        bug_list.read(folder / "status.toml")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["901"], "there is no bug 901 in"),
        (
            ["--python", "gcc=/usr/bin/python3"],
            "--python gcc=/usr/bin/python3: give COMPILER=..., with one of inductor",
        ),
    ],
)
def test_a_mistake_in_the_options_is_reported(options: list[str], message: str) -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts/bugs.py", *options], capture_output=True, text=True)
    assert (done.returncode, done.stdout, message in done.stderr) == (USAGE, "", True)
