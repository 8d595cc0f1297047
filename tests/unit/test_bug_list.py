"""``make bugs`` compares the reproducers' results with the list, and writes what differs."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from scripts import bug_list, bugs

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
what = "x | y is wrong"
where = "Fuse"
status = { "1.1" = "shows" }  # seen twice
"""


def test_a_reproducer_is_held_against_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "001-onnxruntime-sum").mkdir()
    (tmp_path / "status.toml").write_text(LIST)
    tables = "".join(f"<!-- table: {name} -->\nold\n<!-- end: {name} -->\n" for name in ("open", "mended"))
    (tmp_path / "README.md").write_text(tables)
    for name, path in {"FOLDER": tmp_path, "LIST": tmp_path / "status.toml", "README": tmp_path / "README.md"}.items():
        monkeypatch.setattr(bug_list, name, path)

    def run(code: str, version: str = "1.1", *options: str) -> tuple[int, str]:
        (tmp_path / "001-onnxruntime-sum/repro.py").write_text(f"import sys\n{code}\n")
        monkeypatch.setattr(bugs, "_ASK_VERSION", f"print({version!r})")
        monkeypatch.setattr(sys, "argv", ["bugs.py", "--python", f"onnxruntime={sys.executable}", *options])
        return bugs.main(), capsys.readouterr().out

    for code, version, status, message in (
        ("sys.exit(1)", "1.1+cpu", 0, "001 ONNX Runtime 1.1: shows, as listed (shows); 0 s: a sum is wrong"),
        ("sys.exit(0)", "1.1", 1, "right, but the list says shows"),
        ("sys.exit(1)", "1.2", 1, "1.2: shows, but the list says nothing"),
        ("print('no such'); sys.exit(2)", "1.1", 2, "could not run: exit status 2: no such"),
        ("import time; time.sleep(60)", "1.1", 2, "could not run: it did not end within 1 s"),
    ):
        ended, printed = run(code, version, "--timeout", "1")
        assert (ended, message in printed) == (status, True), printed
    assert run("sys.exit(0)", "1.2", "--write")[0] == 1
    text = (tmp_path / "status.toml").read_text()
    assert tomllib.loads(text)["bug"][0]["status"] == {"1.1": "shows", "1.2": "right"}
    assert "# seen twice" in text
    assert "| optimizer | Fuse | yes | 1.1 shows, 1.2 right | not yet |" in (tmp_path / "README.md").read_text()
    (tmp_path / "status.toml").write_text(LIST.replace('"shows"', '"hangs"'))
    with pytest.raises(bug_list.ListError, match="status hangs is not one of shows, right, depends"):
        bug_list.read(tmp_path / "status.toml")
