"""Known bugs: what matches them is counted and not shown, and what comes back is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyjuice.triage import known
from polyjuice.triage.known import KnownBug, KnownError
from tests.support.commands import ONE_RULE, fuzz, polyjuice, save_model
from tests.support.plugins import plugin

URL = "https://github.com/org/compiler/issues/7"

CRASHES = "def compile(program, inputs): raise ValueError('no such loop')\n"

FINDING = {"compiler": "tvm", "signature": 'crash compile "it\'s" \\ N', "versions": {"tvm": "0.27.0.post1"}}


# --- the file ---------------------------------------------------------------------------------------------------------


def test_a_bug_is_known_in_its_versions_until_it_is_fixed() -> None:
    bug = KnownBug("tvm", URL, signature="crash", versions=">=0.25", fixed="0.28")
    assert bug.matches("tvm", "crash")
    assert not bug.matches("tvm", "crash compile")
    assert not bug.matches("xla", "crash")
    versions = ("0.24", "0.25", "0.27.0.post1", "0.28.dev1", "0.28", "1")
    assert [version for version in versions if bug.is_in(version)] == ["0.25", "0.27.0.post1", "0.28.dev1"]


def test_a_signature_may_leave_out_where_a_crash_happened() -> None:
    bug = KnownBug("tvm", URL, signature="crash compile TypeError: no")
    assert bug.matches("tvm", "crash compile TypeError: no | in visit, lower")
    assert not bug.matches("tvm", "crash compile TypeError: no more | in visit, lower")
    assert not replace(bug, signature="crash compile TypeError: no | in visit, pad").matches("tvm", bug.signature)


def test_a_pattern_stands_for_signatures() -> None:
    bug = KnownBug("tvm", URL, pattern="metamorphic * Soft?ax")
    assert bug.matches("tvm", "metamorphic mismatch exact Softmax")
    assert not bug.matches("tvm", "metamorphic mismatch exact Softmax Relu")


def test_a_bug_that_the_version_has_goes_before_one_that_it_should_not_have() -> None:
    fixed, open_ = KnownBug("tvm", "1", signature="s", fixed="0.2"), KnownBug("tvm", "2", pattern="*")
    assert known.find([fixed, open_], "tvm", "0.3", "s") is open_
    assert known.find([fixed], "tvm", "0.3", "s") is fixed
    assert known.find([fixed], "tvm", "0.3", "t") is None


def test_what_is_added_is_read_again_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text("# ours\n[[bug]]\ncompiler = 'xla' # for now\npattern = '*'\nurl = 'u'\n")
    bug, new = known.add(path, FINDING, URL)
    assert (bug.signature, bug.versions, bug.fixed, new) == (FINDING["signature"], ">=0.27.0.post1", "", True)
    again, new = known.add(path, FINDING, "https://elsewhere", "0.28")
    assert (again.url, again.fixed, new) == ("https://elsewhere", "0.28", False)
    assert known.read(path) == (KnownBug("xla", "u", pattern="*"), again)
    assert path.read_text().startswith("# ours\n[[bug]]\ncompiler = 'xla' # for now\n")


def test_a_local_build_stands_for_its_release(tmp_path: Path) -> None:
    finding = {"compiler": "inductor", "signature": "crash", "versions": {"inductor": "2.13.0+cpu"}}
    bug, _ = known.add(tmp_path / "known.toml", finding, URL)
    assert bug.versions == ">=2.13.0"
    assert bug.is_in("2.13.0+cpu")


@pytest.mark.parametrize(
    ("text", "reason"),
    {
        "[[bug]": "is not TOML",
        "bug = 3": "a known bug is a table that begins with [[bug]]",
        "[[bug]]\nurl = 'u'\npattern = '*'": "bug 1: it has no compiler",
        "[[bug]]\ncompiler = 'tvm'\npattern = '*'": "bug 1: it has no url",
        "[[bug]]\ncompiler = 'tvm'\nurl = 'u'": "bug 1: it needs a signature, or a pattern for signatures",
        "[[bug]]\ncompiler = 'tvm'\nurl = 'u'\npatern = '*'": "bug 1: patern is not one of compiler, url, signature",
        "[[bug]]\ncompiler = 'tvm'\nurl = 'u'\npattern = 3": "bug 1: pattern must be a string",
        "[[bug]]\ncompiler = 'tvm'\nurl = 'u'\npattern = '*'\nversions = '1.2'": "Invalid specifier: '1.2'",
        "[[bug]]\ncompiler = 'tvm'\nurl = 'u'\npattern = '*'\nfixed = 'soon'": "Invalid version: 'soon'",
    }.items(),
)
def test_a_mistake_in_the_file_is_told_with_its_place(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text)
    with pytest.raises(KnownError) as told:
        known.read(path)
    assert str(path) in str(told.value)
    assert reason in str(told.value)
    done = polyjuice("fuzz", "--compiler", "numpy", "-n", 1, "--known", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = polyjuice("fuzz", "--compiler", "numpy", "-n", 1, "--known", tmp_path / "none.toml")
    assert (done.returncode, done.stderr) == (2, f"polyjuice: {tmp_path}/none.toml: No such file or directory\n")


# --- campaigns --------------------------------------------------------------------------------------------------------


def campaign(tmp_path: Path, name: str, *arguments: object) -> tuple[int, dict[str, Any]]:
    """Two cases of a compiler that fails on a model, and on both variants of it."""
    model = save_model(tmp_path / "small.onnx")
    env = plugin(tmp_path / "site", CRASHES)
    options = ("--compiler", "fake", "-n", 2, "--seeds", model, *ONE_RULE, *arguments)
    return fuzz(tmp_path / name, *options, env=env)


def test_what_is_added_is_counted_from_then_on(tmp_path: Path) -> None:
    status, summary = campaign(tmp_path, "first")
    assert (status, summary["raw_findings"], summary["findings"], summary["known"]) == (1, 2, 1, {})
    finding = sorted((tmp_path / "first" / "findings").iterdir())[0]
    file = tmp_path / "known.toml"
    done = polyjuice("known", "add", finding, "--url", URL, "--file", file)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{file}: added: fake >=")

    status, summary = campaign(tmp_path, "second", "--known", file)
    assert (status, summary["raw_findings"], summary["known"], summary["by_kind"]) == (0, 0, {URL: 2}, {})
    assert not list((tmp_path / "second" / "findings").iterdir())
    assert f"known: {URL}" in (tmp_path / "second" / "log").read_text()
    listed = json.loads(polyjuice("known", "list", "--file", file, "--json").stdout)["known"]
    assert [bug["url"] for bug in listed] == [URL]

    done = polyjuice("known", "add", finding, "--url", URL, "--fixed", "0.0.1", "--file", file)
    assert done.stdout.startswith(f"{file}: changed: fake >=")
    status, summary = campaign(tmp_path, "third", "--known", file)
    assert (status, summary["raw_findings"], summary["known"]) == (1, 2, {})
    (first, *_) = sorted((tmp_path / "third" / "findings").iterdir())
    assert json.loads((first / "finding.json").read_text())["regression"] == URL
    assert f"It looks like {URL}, which is said to be fixed" in (first / "report.md").read_text()


def test_a_folder_that_is_no_finding_is_told(tmp_path: Path) -> None:
    done = polyjuice("known", "add", tmp_path, "--url", URL, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"polyjuice: {tmp_path} is not a finding's folder (there is no finding.json)\n"
    (tmp_path / "finding.json").write_text('{"compiler": "tvm"}')
    done = polyjuice("known", "add", tmp_path, "--url", URL, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
