"""The command `generate`: it writes graphs that depend on their seed alone, with their metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx
import pytest

from polyjuice import cli
from polyjuice.frameworks.onnx import graph_files
from polyjuice.generate import SMALL_STRATEGIES, STRATEGIES
from polyjuice.inputs import profiles
from polyjuice.ir import GraphError
from polyjuice.ops import check
from tests.support.commands import polyjuice, refusal

COUNT = 5


def generated(out: Path, *arguments: object) -> dict[str, Any]:
    done = polyjuice("generate", "-n", COUNT, "--out", out, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert isinstance(summary, dict)
    return summary


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_it_writes_valid_graphs_and_measures_them(tmp_path: Path, strategy: str) -> None:
    summary = generated(tmp_path / "out", "--strategy", strategy, "--nodes", 7)
    assert (summary["graphs"], summary["valid"]) == (COUNT, COUNT)
    assert 0 < summary["finite"] <= COUNT
    assert summary["ms_per_graph"] > 0
    sizes = range(1, 7) if strategy in SMALL_STRATEGIES else (7,)
    assert min(sizes) <= summary["metrics"]["NOO"] <= max(sizes)
    paths = sorted((tmp_path / "out").iterdir())
    assert [path.name for path in paths] == [f"{number:05d}.onnx" for number in range(COUNT)]
    assert all(len(check(graph_files.load(path))) in sizes for path in paths)
    again = json.loads(polyjuice("metrics", tmp_path / "out", "--json").stdout)
    assert again["metrics"]["OTC"] == summary["metrics"]["OTC"]


def test_equal_seeds_write_equal_files(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        generated(tmp_path / name, "--seed", seed)
    a, b, c = ([path.read_bytes() for path in sorted((tmp_path / name).iterdir())] for name in "abc")
    assert a == b
    assert not set(a) & set(c)


def test_a_person_reads_where_the_graphs_are(tmp_path: Path) -> None:
    done = polyjuice("generate", "-n", 2, "--out", tmp_path / "out")
    assert done.returncode == 0
    assert f"2 graphs of strategy default in {tmp_path / 'out'}" in done.stdout


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    kept = tmp_path / "kept.onnx"
    kept.write_text("mine")
    assert "the folder is not empty; name a new one" in refusal("-n", 1, "--out", tmp_path, command="generate")
    assert "the folder is not empty; name a new one" in refusal("-n", 1, "--out", kept, command="generate")
    assert kept.read_text() == "mine"


def test_an_unknown_strategy_is_refused(tmp_path: Path) -> None:
    message = refusal("-n", 1, "--out", tmp_path / "out", "--strategy", "guess", command="generate")
    assert "choose from default" in message
    assert not (tmp_path / "out").exists()


def test_disrupted_graphs_come_with_what_is_broken(tmp_path: Path) -> None:
    out = tmp_path / "out"
    summary = generated(out, "--strategy", "hirgen", "--disruptive", "--nodes", 5)
    assert (summary["graphs"], summary["valid"]) == (COUNT, 0)
    broken = json.loads((out / "broken.json").read_text())
    assert sorted([*broken, "broken.json"]) == sorted(path.name for path in out.iterdir())
    for name, described in broken.items():
        model = onnx.load(out / name)
        (node,) = [node for node in model.graph.node if described["node"] in node.output]
        assert ".".join(filter(None, [node.domain, node.op_type])) == described["operator"]
        assert described["kind"] in ("type", "shape")
        assert described["given"] != described["due"]


def test_only_hirgen_disrupts(tmp_path: Path) -> None:
    for strategy in sorted({*STRATEGIES} - {"hirgen"}):
        message = refusal(
            "-n", 1, "--out", tmp_path / "out", "--strategy", strategy, "--disruptive", command="generate"
        )
        assert "--strategy hirgen" in message
    assert not (tmp_path / "out").exists()


def test_an_invalid_graph_is_a_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ill_typed(graph: object) -> None:
        raise GraphError("node 0: wrong")

    monkeypatch.setattr(profiles, "check", ill_typed)
    with pytest.raises(SystemExit) as left:
        cli.app(["generate", "-n", "2", "--out", str(tmp_path / "out"), "--json"], standalone_mode=False)
    assert left.value.code == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out)["valid"] == 0
    assert "00001.onnx is invalid: node 0: wrong" in captured.err
