"""A campaign triages its findings: it reports one small finding for each fault, with the number of duplicates."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from polyjuice.compilers import EnvironmentProblem
from polyjuice.frameworks.onnx import graph_files
from polyjuice.triage import automatic
from polyjuice.triage.automatic import Triaged
from polyjuice.triage.causes import KnownCulprit
from tests.support.commands import fuzz, polyjuice, save_model
from tests.support.plugins import importing_from, plugin, wrong_without

SOFTPLUS = """<ir_version: 9, opset_import: ["" : 18]>
    softplus (float[3,4] x) => (float[3,4] y) { t = Transpose<perm = [0, 1]>(x) r = Softplus(t) y = Neg(r) }"""

RELU_CAUSE = "mismatch by no-relu of Relu: wrong values"
SOFTPLUS_CAUSE = "mismatch by no-softplus of Softplus: wrong values"

BLAME = {RELU_CAUSE: ["no-relu"], SOFTPLUS_CAUSE: ["no-softplus"]}

RULES = ("--only-rule", "relu-as-half-sum", "--only-rule", "softplus-by-log1p")


def wrong(folder: Path, code: str = "", *, knobs: bool = True) -> dict[str, str]:
    """The environment with the compiler `wrong`, and more code in it."""
    return plugin(folder / "site", wrong_without("Relu", "Softplus", knobs=knobs) + code, name="wrong")


def campaign(folder: Path, *arguments: object, knobs: bool = True) -> tuple[int, dict[str, Any]]:
    """Four cases of two models. Each model meets one of the faults. One process makes the order certain."""
    models = (save_model(folder / "relu.onnx"), save_model(folder / "softplus.onnx", SOFTPLUS))
    seeds = (option for model in models for option in ("--seeds", model))
    env = wrong(folder, knobs=knobs)
    options = ("--compiler", "wrong", "-n", 4, *seeds, *RULES, "--workers", 1, "--triage", "60s", *arguments)
    return fuzz(folder / "c", *options, env=env)


def reported(folder: Path) -> dict[str, dict[str, Any]]:
    """The content of ``finding.json`` for the campaign's reported findings, by cause."""
    records = [json.loads(path.read_text()) for path in sorted((folder / "c/findings").glob("*/finding.json"))]
    return {record.get("cause") or record["signature"]: record for record in records}


@pytest.fixture(scope="module")
def triaged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("triaged")
    status, summary = campaign(folder)
    assert status == 1, summary
    return folder, summary


def test_each_fault_is_one_finding(triaged: tuple[Path, dict[str, Any]]) -> None:
    folder, summary = triaged
    assert (summary["findings"], summary["causes"], summary["untriaged"]) == (2, 2, 0)
    assert summary["raw_findings"] > 2
    records = reported(folder)
    assert {cause: record["blame"] for cause, record in records.items()} == BLAME
    raw = {f"raw/{path.name}" for path in (folder / "c/raw").iterdir()}
    assert summary["raw_findings"] == len(raw) == 2 + sum(record["more"] for record in records.values())
    for record in records.values():
        assert len(record["examples"]) == record["more"]
        assert {*record["examples"], f"raw/{record['folder']}"} <= raw


def test_a_duplicate_is_listed_with_the_finding_that_it_repeats_and_the_evidence(
    triaged: tuple[Path, dict[str, Any]],
) -> None:
    folder, summary = triaged
    lines = (folder / "c/duplicates.md").read_text().splitlines()[6:]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    assert len(rows) == summary["raw_findings"] - summary["findings"]
    records = reported(folder)
    for finding, of, why, cause in rows:
        assert (folder / "c" / finding).is_dir()
        assert (of, finding in records[cause]["examples"]) == (records[cause]["folder"], True)
        assert {"no-relu", "no-softplus"}.intersection(why.replace(",", "").split()) == {*records[cause]["blame"]}


def test_what_is_reported_has_been_reduced_and_runs(triaged: tuple[Path, dict[str, Any]]) -> None:
    folder, _ = triaged
    for record in reported(folder).values():
        finding = folder / "c/findings" / record["folder"]
        assert record["repro_exit"] == 1
        assert record["operators"][record["culprit"]] == 1
        graphs = {side: graph_files.load(finding / f"{side}.onnx") for side in "ab"}
        assert {record[side]: len(graph.nodes) for side, graph in graphs.items()} == record["operators"]
        assert "no-" in (finding / "report.md").read_text()


def test_the_log_says_what_became_of_each_finding(triaged: tuple[Path, dict[str, Any]]) -> None:
    folder, summary = triaged
    lines = [line for line in (folder / "c/log").read_text().splitlines() if line.startswith("triage ")]
    assert sum("operators left" in line for line in lines) == summary["findings"]
    named = {line.split()[1].removesuffix(":") for line in lines}
    assert named == {path.name for path in (folder / "c/raw").iterdir()}


def test_without_parts_to_switch_off_the_wrong_program_is_the_signature(tmp_path: Path) -> None:
    status, summary = campaign(tmp_path, "-n", 2, knobs=False)
    assert (status, summary["findings"]) == (1, 2)
    assert {*reported(tmp_path)} == {"mismatch of Relu: wrong values", "mismatch of Softplus: wrong values"}


def test_a_known_bug_is_known_by_the_part_to_blame(tmp_path: Path, triaged: tuple[Path, dict[str, Any]]) -> None:
    """The match needs no reduction. The signature of a raw finding does not show its cause."""
    finding = next(
        path for path in (triaged[0] / "c/findings").iterdir() if "no-relu" in (path / "finding.json").read_text()
    )
    file, url = tmp_path / "known.toml", "https://github.com/org/compiler/issues/7"
    assert polyjuice("known", "add", finding, "--url", url, "--file", file).returncode == 0
    status, summary = campaign(tmp_path, "--known", file)
    assert (status, summary["findings"], {*summary["known"]}) == (1, 1, {url})
    assert {*reported(tmp_path)} == {SOFTPLUS_CAUSE}
    assert summary["raw_findings"] + summary["known"][url] == triaged[1]["raw_findings"]


def test_a_finding_whose_publication_was_cut_off_is_published_again(triaged: tuple[Path, dict[str, Any]]) -> None:
    """A kill in the middle of publication is simulated. A user's file beside the findings stays."""
    folder = triaged[0]
    before = reported(folder)
    cut, whole = sorted((folder / "c/findings").iterdir())
    (cut / "finding.json").unlink()
    (whole / "notes.txt").write_text("mine")
    (folder / "c/findings/.000009-0-mismatch").mkdir()
    done = polyjuice("fuzz", "--resume", folder / "c", env=importing_from(folder / "site"))
    assert done.returncode == 1, done.stderr
    assert reported(folder) == before
    assert sorted((folder / "c/findings").iterdir()) == [cut, whole]
    assert (whole / "notes.txt").read_text() == "mine"


def test_a_campaign_that_is_resumed_triages_what_is_left(tmp_path: Path) -> None:
    campaign(tmp_path, "--triage", "0s", "-n", 2)
    before = reported(tmp_path)
    assert not any(record["reduction"] for record in before.values())
    with_triage(tmp_path / "c/campaign.sqlite", 60.0)
    done = polyjuice("fuzz", "--resume", tmp_path / "c", env=wrong(tmp_path))
    assert done.returncode == 1, done.stderr
    assert {*reported(tmp_path)} == {RELU_CAUSE, SOFTPLUS_CAUSE}


def test_an_ended_triage_goes_on_with_what_it_has_reduced(tmp_path: Path, triaged: tuple[Path, dict[str, Any]]) -> None:
    """The time ends during the bisection of one finding and during the reduction of another."""
    shutil.copytree(triaged[0] / "c", tmp_path / "c")
    with closing(sqlite3.connect(tmp_path / "c/campaign.sqlite")) as db, db:
        db.execute("UPDATE findings SET cause = NULL, reduced = NULL, why = NULL")
        db.execute("DELETE FROM culprits")
    whole, cut = sorted((tmp_path / "c/raw").glob("*/reduced"))
    before = (whole / "inputs.npz").stat().st_mtime_ns
    shutil.rmtree(cut)  # a reduced finding appears whole, or not at all
    done = polyjuice("fuzz", "--resume", tmp_path / "c", env=importing_from(triaged[0] / "site"))
    assert done.returncode == 1, done.stderr
    assert (whole / "inputs.npz").stat().st_mtime_ns == before
    assert (cut / "inputs.npz").is_file()
    assert {cause: record["blame"] for cause, record in reported(tmp_path).items()} == BLAME


def test_what_is_not_triaged_in_time_is_reported_as_it_was_met(
    tmp_path: Path, triaged: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Triage ends at once, and leaves the finding to the next triage."""
    monkeypatch.syspath_prepend(triaged[0] / "site")
    (raw, *_) = sorted((triaged[0] / "c/raw").iterdir())
    folder = shutil.copytree(raw, tmp_path / raw.name, ignore=shutil.ignore_patterns("reduced"))
    result = automatic.triage(folder, [], 60.0, until=time.monotonic())
    assert (result.ended, result.record, result.problem, result.defect) == (True, None, "", "")


def test_findings_whose_compiler_is_gone_are_reported_as_they_were_met(
    triaged: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    culprit = KnownCulprit("mismatch", RELU_CAUSE, ("no-relu",), ("Relu",))

    def attribute(folders: Sequence[Path], *_: Any) -> Iterator[Triaged]:
        yield Triaged(name=folders[0].name, cause=culprit.cause)
        raise EnvironmentProblem("wrong did not start")

    monkeypatch.syspath_prepend(triaged[0] / "site")
    monkeypatch.setattr(automatic, "attribute", attribute)
    first, second, *_ = sorted((triaged[0] / "c/raw").iterdir())
    results = automatic.sort([first, second], [], {})
    assert [(r.name, r.cause, r.problem, r.defect) for r in results] == [
        (first.name, RELU_CAUSE, "", ""),
        (second.name, "", "wrong did not start", ""),
    ]


def test_a_fault_of_our_own_costs_the_finding_that_brings_it_about(
    triaged: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Triage groups the other findings as if this one were missing, whether they come before or after it."""
    folders = sorted((triaged[0] / "c/raw").iterdir())
    assert len(folders) > 2
    bad = folders[1].name
    by_itself = automatic.attribute

    def attribute(*arguments: Any) -> Iterator[Triaged]:
        for result in by_itself(*arguments):
            assert result.name != bad, "there is no such attribute"
            yield result

    monkeypatch.syspath_prepend(triaged[0] / "site")
    monkeypatch.setattr(automatic, "attribute", attribute)
    culprit = KnownCulprit("mismatch", RELU_CAUSE, ("no-relu",), ("Relu",))
    results = {result.name: result for result in automatic.sort(folders, [culprit], {})}
    assert {*results} == {folder.name for folder in folders}
    assert "there is no such attribute" in results.pop(bad).defect
    assert all(bool(result.cause) != bool(result.group) and not result.defect for result in results.values())


@pytest.mark.long
def test_a_campaign_ends_in_time_with_findings_that_wait(tmp_path: Path) -> None:
    """Each trial of bisection takes a minute. Triage has one such minute for all findings together."""
    env = wrong(tmp_path, SLOW)
    model = save_model(tmp_path / "relu.onnx")
    options = ("--compiler", "wrong", "--time", "20s", "--seeds", model, *RULES[:2], "--workers", 1, "--triage", "60s")
    began = time.monotonic()
    status, summary = fuzz(tmp_path / "c", *options, env=env, processes=True)
    assert status == 1
    assert time.monotonic() - began < 150
    assert summary["untriaged"] == summary["raw_findings"] > 0
    assert 0 < summary["share"]["triage"] < 1
    assert not any(record["reduction"] for record in reported(tmp_path).values())
    done = polyjuice("fuzz", "--resume", tmp_path / "c", env=wrong(tmp_path))
    assert f"{summary['raw_findings']} not yet triaged" not in done.stdout
    assert {*reported(tmp_path)} == {RELU_CAUSE}


SLOW = """
def compile(program, inputs):
    import time
    if _disabled: time.sleep(60)
    return control.compile(program, inputs)
"""
"""If a part is off, every compilation takes a minute."""


def with_triage(database: Path, seconds: float) -> None:
    """Change the campaign's triage options, as if it had stopped before it triaged its first finding."""
    with closing(sqlite3.connect(database)) as db, db:
        (text,) = db.execute("SELECT value FROM meta WHERE key = 'config'").fetchone()
        config = json.dumps({**json.loads(text), "triage_s": seconds})
        db.execute("UPDATE meta SET value = ? WHERE key = 'config'", (config,))


def test_a_campaign_replayed_says_what_shows_what_is_fixed_and_what_changed(
    tmp_path: Path, triaged: tuple[Path, dict[str, Any]]
) -> None:
    """The environment replaces the compiler by another version."""
    folder = triaged[0] / "c"

    def again(code: str, *arguments: object) -> tuple[int, dict[str, Any]]:
        done = polyjuice("replay", folder, "--json", *arguments, env=wrong(tmp_path, code))
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    status, output = again("")
    assert (status, output["shows"], output["fixed"], output["changed"]) == (1, 2, 0, 0)
    status, output = again("_disabled.add('no-relu')\ndef version(): return '2'")
    assert (status, output["shows"], output["fixed"]) == (1, 1, 1)
    fates = {record["folder"]: record["blame"][0] for record in reported(triaged[0]).values()}
    assert {fates[row["finding"]]: (row["fate"], row["version"]) for row in output["findings"]} == {
        "no-relu": ("fixed", "2"),
        "no-softplus": ("shows", "2"),
    }
    status, output = again("_disabled.add('no-relu')\ndef run(compiled, inputs): raise ValueError('no such kernel')")
    assert (status, output["changed"]) == (1, 2)
    assert all("no such kernel" in row["message"] for row in output["findings"])
    assert again("_disabled.update(('no-relu', 'no-softplus'))")[0] == 0
    status, output = again("", "--python", "/no/such/python")
    assert (status, output["not_run"]) == (2, 2)
