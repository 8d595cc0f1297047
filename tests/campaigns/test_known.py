"""Known bugs: matching findings are counted but not shown. A fixed bug that comes back is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyjuice.triage import known_list
from polyjuice.triage.known_list import KnownBug, KnownError
from tests.support.commands import ONE_RULE, ROOT, fuzz, polyjuice, refusal, save_model
from tests.support.plugins import plugin

URL = "https://github.com/org/compiler/issues/7"

CRASHES = "def compile(program, inputs): raise ValueError('no such loop')\n"

FINDING = {
    **json.loads((ROOT / "tests/findings/split-uneven/finding.json").read_text()),
    "kind": "crash",
    "compiler": "tvm",
    "signature": 'crash compile "it\'s" \\ N',
    "versions": {"tvm": "0.27.0.post1"},
    "cause": "",
    "blame": [],
}


def stored(folder: Path, **fields: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "finding.json").write_text(json.dumps({**FINDING, **fields}))
    return folder


def test_a_bug_is_known_in_its_versions_until_it_is_fixed() -> None:
    bug = KnownBug(compiler="tvm", url=URL, signature="crash", versions=">=0.25", fixed="0.28")
    assert bug.matches("tvm", "crash")
    assert not bug.matches("tvm", "crash compile")
    assert not bug.matches("xla", "crash")
    assert bug.matches("tvm", "crash | in visit, lower"), "where it happened may be left out"
    assert not replace(bug, signature="crash | in visit, pad").matches("tvm", "crash")
    pattern = replace(bug, signature="", pattern="metamorphic * Soft?ax")
    assert pattern.matches("tvm", "metamorphic mismatch bitwise Softmax")
    assert not pattern.matches("tvm", "metamorphic mismatch bitwise Softmax Relu")
    assert replace(bug, versions=">=2.13.0", fixed="").is_in("2.13.0+cpu"), "a local build stands for its release"
    versions = ("0.24", "0.25", "0.27.0.post1", "0.28.dev1", "0.28", "1")
    assert [version for version in versions if bug.is_in(version)] == ["0.25", "0.27.0.post1", "0.28.dev1"]


def test_a_bug_that_the_version_has_goes_before_one_that_it_should_not_have() -> None:
    fixed, open_ = (
        KnownBug(compiler="tvm", url="1", signature="s", fixed="0.2"),
        KnownBug(compiler="tvm", url="2", pattern="*"),
    )
    assert known_list.find([fixed, open_], "tvm", "0.3", "s") is open_
    assert known_list.find([fixed], "tvm", "0.3", "s") is fixed
    assert known_list.find([fixed], "tvm", "0.3", "t") is None


def test_what_is_added_is_read_again_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text("# ours\n[[bug]]\ncompiler = 'xla' # for now\npattern = '*'\nurl = 'u'\n")
    done = known_list.add(path, stored(tmp_path / "f"), {"url": URL, "title": "no such loop", "fixed": ""})
    assert done == known_list.Added(done.bug, added=True)
    assert (done.bug.signature, done.bug.versions, done.bug.fixed) == (FINDING["signature"], ">=0.27.0.post1", "")
    assert done.bug.name == f"no such loop ({URL})"
    again = known_list.add(path, tmp_path / "f", {"url": "https://elsewhere", "fixed": "0.28"})
    assert again == known_list.Added(again.bug, changed=True)
    assert (again.bug.url, again.bug.title, again.bug.fixed) == ("https://elsewhere", "no such loop", "0.28")
    assert known_list.read(path) == (KnownBug(compiler="xla", url="u", pattern="*"), again.bug)
    assert path.read_text().startswith("# ours\n[[bug]]\ncompiler = 'xla' # for now\n")


def test_a_bug_that_came_back_is_known_again(tmp_path: Path) -> None:
    path, finding = tmp_path / "known.toml", stored(tmp_path / "f")
    fixed = known_list.add(path, finding, {"url": URL, "fixed": "0.28"}).bug
    later = stored(tmp_path / "later", versions={"tvm": "0.29.0"})
    assert not fixed.is_in("0.29.0")
    again = known_list.add(path, later, {"url": "https://elsewhere"})
    assert again == known_list.Added(again.bug, added=True)
    assert (again.bug.versions, again.bug.fixed, again.bug.url) == (">=0.29.0", "", "https://elsewhere")
    assert known_list.read(path) == (fixed, again.bug)
    assert known_list.find(known_list.read(path), "tvm", "0.30", fixed.signature) == again.bug
    assert known_list.find(known_list.read(path), "tvm", "0.27.0.post1", fixed.signature) == fixed


FUSED = {"kind": "mismatch", "signature": "mismatch Relu", "cause": "mismatch by Fuse", "blame": ["Fuse"]}
FAILED = {"signature": "crash compile no | in f", "cause": "crash compile no | in f by Fuse and Pad"}


@pytest.mark.parametrize(
    ("entry", "fields"),
    [
        ("pattern = 'crash compile *'", {}),
        ("signature = 'crash compile no'", {"signature": "crash compile no | in visit, lower"}),
        ("signature = 'mismatch by Fuse'\nblame = ['Fuse']", FUSED),
        ("signature = 'metamorphic mismatch bitwise Add'\nblame = ['Fuse']", FUSED),  # from before triage
        (
            "signature = 'crash compile no | in f by Fuse and Pad'\nblame = ['Pad', 'Fuse']",
            {**FAILED, "blame": ["Pad", "Fuse"]},
        ),
        (  # though a later bisection blamed nothing
            "signature = 'mismatch by Fuse and Pad'\nblame = ['Pad', 'Fuse']",
            {**FUSED, "cause": "mismatch by Fuse and Pad", "blame": []},
        ),
    ],
)
def test_what_an_entry_knows_is_not_added(tmp_path: Path, entry: str, fields: dict[str, Any]) -> None:
    path = tmp_path / "known.toml"
    path.write_text(f"[[bug]]\ncompiler = 'tvm'\nurl = 'u'\ntitle = 'the first'\n{entry}\n")
    before = path.read_text()
    there = known_list.read(path)
    finding = stored(tmp_path / "f", **fields)
    assert known_list.add(path, finding, {"url": there[0].url}) == known_list.Added(there[0])
    assert known_list.add(tmp_path / "other.toml", finding, {"url": URL}, there) == known_list.Added(there[0])
    assert path.read_text() == before
    assert not (tmp_path / "other.toml").exists()
    done = polyjuice("known", "add", finding, "--url", there[0].url, "--file", path)
    assert done.returncode == 0
    assert done.stdout.startswith("known already, nothing added: the first (u): tvm in all versions: ")


@pytest.mark.parametrize(
    "bug",
    [
        KnownBug(compiler="tvm", url="u", pattern="crash compile *", fixed="0.27"),
        KnownBug(compiler="tvm", url="u", signature="crash compile no by Fuse", blame=("Fuse",)),
    ],
    ids=["a bug of other versions", "another failure of the same part"],
)
def test_what_looks_like_another_bug_is_added(tmp_path: Path, bug: KnownBug) -> None:
    assert known_list.add(tmp_path / "known.toml", stored(tmp_path / "f", blame=["Fuse"]), {"url": URL}, [bug]).added


@pytest.mark.parametrize("place", ["findings/000001-0-mismatch", "raw/000001-0-mismatch/reduced"])
def test_a_triaged_finding_is_known_where_nothing_is_triaged(tmp_path: Path, place: str) -> None:
    raw = "metamorphic mismatch bitwise Relu"
    stored(tmp_path / "raw/000001-0-mismatch", kind="mismatch", signature=raw)
    more = {"signature": "mismatch Relu", "cause": "mismatch by Fuse", "blame": ["Fuse"]}
    finding = stored(tmp_path / place, kind="mismatch", **more)
    bug = known_list.add(tmp_path / "known.toml", finding, {"url": URL}).bug
    assert (bug.signature, bug.untriaged, bug.blame) == ("mismatch by Fuse", raw, ("Fuse",))
    assert known_list.find([bug], "tvm", "0.27.0.post1", raw, triaged=False) is bug
    assert known_list.find([bug], "tvm", "0.27.0.post1", raw) is None, "there triage tells whether it is this bug"
    bug = known_list.add(tmp_path / "other.toml", stored(tmp_path / "f", **FAILED, blame=["Fuse"]), {"url": URL}).bug
    assert (bug.untriaged, bug.blame) == (FAILED["signature"], ("Fuse",))


def test_a_campaign_knows_what_is_shipped_and_the_users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert known_list.sources() == (known_list.SHIPPED,)
    here, other = tmp_path / known_list.DEFAULT_FILE, tmp_path / "other.toml"
    for path, url in ((here, "here"), (other, "there")):
        path.write_text(f"[[bug]]\ncompiler = 'tvm'\nurl = '{url}'\npattern = '*'\n")
    assert known_list.sources() == (str(here), known_list.SHIPPED)
    assert known_list.sources(Path("other.toml")) == (str(other), known_list.SHIPPED)
    assert known_list.sources(Path(known_list.NONE)) == ()
    assert [bug.url for bug in known_list.load_known_bugs(known_list.sources())] == [
        "here",
        *(bug.url for bug in known_list.load_known_bugs([known_list.SHIPPED])),
    ]


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
def test_a_mistake_in_the_file_is_reported_with_its_place(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text)
    with pytest.raises(KnownError) as caught:
        known_list.read(path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def campaign(tmp_path: Path, name: str, *arguments: object) -> tuple[int, dict[str, Any]]:
    """Two cases of a compiler that fails on a model and on both of its variants."""
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
    assert f"It looks like {URL}, which should be fixed" in (first / "report.md").read_text()


def test_a_known_bug_that_is_shown_is_triaged_once_and_marked(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text(f"[[bug]]\ncompiler = 'fake'\nurl = '{URL}'\npattern = 'crash compile ValueError: no such*'\n")
    status, summary = campaign(tmp_path, "c", "--known", file, "--show-known", "--triage", "60s")
    assert (status, summary["raw_findings"], summary["causes"], summary["known_causes"]) == (1, 1, 1, 1)
    assert summary["known"] == {URL: 1}, "further findings of the bug are counted"
    (finding,) = (tmp_path / "c/findings").iterdir()
    record = json.loads((finding / "finding.json").read_text())
    assert (record["known"], record["regression"], bool(record["reduction"])) == (URL, "", True)
    assert f"| {finding.name} |" in (tmp_path / "c/findings.md").read_text()
    assert f"| {URL} |" in (tmp_path / "c/findings.md").read_text()
    done = polyjuice("report", tmp_path / "c", "--out", tmp_path / "page.html")
    assert done.stdout.startswith(f"{tmp_path / 'page.html'}: 1 cause, ")
    assert f"Known bug</dt><dd>{URL}" in (tmp_path / "page.html").read_text()
    assert "known add" not in (tmp_path / "page.html").read_text()


def test_a_file_that_changed_is_read_again_by_campaigns_that_run(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text("[[bug]]\ncompiler = 'tvm'\nurl = 'first'\npattern = 'x'\n")
    bugs = known_list.KnownBugs([str(path)])
    known_list.add(path, stored(tmp_path / "f"), {"url": URL})
    assert [bug.url for bug in bugs.now] == ["first", URL]
    path.write_text("[[bug]")
    assert [bug.url for bug in bugs.now] == ["first", URL], "a file that cannot be read changes nothing"
    path.unlink()
    assert [bug.url for bug in bugs.now] == ["first", URL]


def test_check_says_which_findings_are_known(tmp_path: Path) -> None:
    campaign(tmp_path, "c", "--triage", "0s")
    (finding,) = (tmp_path / "c" / "findings").iterdir()
    done = polyjuice("known", "check", tmp_path / "c", cwd=tmp_path)
    assert done.returncode == 1
    assert f"findings/{finding.name} is new, 2 raw findings: crash compile ValueError: no such loop" in done.stdout
    assert "1 finding, 1 new; 2 raw findings, 2 match no entry" in done.stdout

    polyjuice("known", "add", finding, "--url", URL, "--title", "no loops", cwd=tmp_path)
    done = polyjuice("known", "check", tmp_path / "c", cwd=tmp_path)
    assert (done.returncode, f"is known, 2 raw findings: no loops ({URL})" in done.stdout) == (0, True)
    file = tmp_path / "known.toml"
    output = json.loads(polyjuice("known", "check", tmp_path / "c", "--file", file, "--json").stdout)
    assert (output["new"], output["findings"][0]["known"]["url"]) == (0, URL)
    assert [raw["known"] for raw in output["raw_findings"]] == [URL, URL]

    polyjuice("known", "add", finding, "--url", URL, "--fixed", "0.0.1", cwd=tmp_path)
    done = polyjuice("known", "check", tmp_path / "c", cwd=tmp_path)
    assert (done.returncode, "it looks like no loops" in done.stdout) == (1, True)


def test_what_cannot_be_read_is_reported_in_one_line(tmp_path: Path) -> None:
    absent, folder = tmp_path / "none.toml", tmp_path / "f"
    message = refusal("--compiler", "numpy", "-n", 1, "--known", absent)
    assert message == f"{absent}: No such file or directory"
    message = refusal("add", folder, "--url", URL, cwd=tmp_path, command="known")
    assert message == f"{folder} is not a finding's folder (there is no finding.json)"
    folder.mkdir()
    (folder / "finding.json").write_text('{"compiler": "tvm"}')
    refusal("add", folder, "--url", URL, cwd=tmp_path, command="known")
    refusal("check", folder, command="known")


def test_check_counts_what_the_campaign_knew(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text(f"[[bug]]\ncompiler = 'fake'\npattern = '*no such loop*'\nurl = '{URL}'\n")
    campaign(tmp_path, "c", "--known", file)
    done = polyjuice("known", "check", tmp_path / "c", "--file", file)
    assert (done.returncode, f"2 × known to the campaign, so not a finding: {URL}" in done.stdout) == (0, True)
    assert campaign(tmp_path, "nothing hidden", "--known", "none", "--triage", "0s")[1]["known"] == {}
