"""The command, as a user types it: its standard output and standard error, its exit status, and its refusals."""

from __future__ import annotations

import json
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest

from polyjuice import compilers
from polyjuice.cli.graphs import sayable
from polyjuice.cli.tables import facts
from polyjuice.frameworks.onnx import graph_files
from polyjuice.ir import TensorType
from polyjuice.ops import FRAMEWORKS, TABLE, GraphBuilder, matching
from polyjuice.ops.definitions import is_derived
from polyjuice.plugins import installable
from tests.support.commands import fuzz, polyjuice, polyjuice_alone, refusal, save_model
from tests.support.light_models import LIGHT, random_weights, run_model, with_random_weights
from tests.support.shares import one_in


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return save_model(tmp_path / "small.onnx")


def test_fuzz_prints_one_json_object_and_nothing_else(tmp_path: Path) -> None:
    done = polyjuice_alone(
        *("fuzz", "--compiler", "numpy", "-n", 3, "--seed", 11, "--workers", 1, "--only-rule", "add-*"),
        *("--out", tmp_path / "c", "--json"),
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    numbers = "seed tested skipped unsound_variants findings raw_findings causes untriaged programs"
    assert {type(summary[key]) for key in numbers.split()} == {int}
    assert summary["tested"] + summary["skipped"] == 3
    assert (summary["compiler"], summary["version"], summary["seed"]) == ("numpy", np.__version__, 11)
    assert (summary["findings"], summary["raw_findings"], summary["unsound_variants"]) == (0, 0, 0)
    assert summary["by_kind"] == {}
    assert summary["programs"] > summary["pairs"] > 0
    busy_s = summary["pairs"] / summary["pairs_per_second"]
    assert 0 < busy_s <= summary["elapsed_s"]
    assert summary["programs_per_second"] == pytest.approx(summary["programs"] / busy_s, rel=0.01)
    shares = summary["share"]
    assert set(shares) == {*["generate", "rewrite", "lower", "compile", "run", "judge", "confirm", "triage", "other"]}
    assert sum(shares.values()) == pytest.approx(1, abs=1e-3)
    assert min(shares.values()) >= 0
    assert Path(summary["out"]) == tmp_path / "c"
    files = {"campaign.sqlite", "findings", "lock", "log", "processes.lock", "raw"}
    assert {path.name for path in (tmp_path / "c").iterdir()} == files


def test_findings_and_progress_go_to_standard_error_under_json(tmp_path: Path) -> None:
    """A control has only one finding for standard error: a false rule."""
    rules = tmp_path / "false.egg"
    rules.write_text('(rewrite (Sub x y) (Sub y x) :ruleset exact :name "false") ; wrong\n')
    text = '<ir_version: 9, opset_import: ["" : 18]> g (float[2,3] x, float[2,3] w) => (float[2,3] y) { y = Sub(x, w) }'
    model, out = save_model(tmp_path / "sub.onnx", text), tmp_path / "c"
    done = polyjuice(
        *("fuzz", "--compiler", "numpy", "-n", 6, "--seeds", model, "--rules", rules, "--only-rule", "false"),
        *("--workers", 1, "--out", out, "--json"),
    )
    summary = json.loads(done.stdout)
    assert done.returncode == 3
    assert summary["unsound_variants"] > 0
    assert (summary["findings"], summary["raw_findings"]) == (0, 0)
    assert not list((out / "findings").iterdir())
    named = f"the rule false ({rules}:1) is false: (Sub x y)\n  is not (Sub y x)"
    assert done.stderr.count(f"polyjuice: the campaign has ended: {named}") == 1
    assert "fault in Polyjuice itself" not in done.stderr
    assert summary["tested"] + summary["skipped"] < 6
    assert named.splitlines()[0] in (out / "log").read_text()

    stored = sorted((out / "unsound").iterdir())
    assert len(stored) >= summary["unsound_variants"]
    for folder in stored:
        assert {path.name for path in folder.iterdir()} == {"seed.onnx", "variant.onnx", "problem.txt"}
        problem = (folder / "problem.txt").read_text()
        assert problem.startswith("output 0 (float32[2, 3]) differs at")
        assert named in problem
        for name in ("seed.onnx", "variant.onnx"):
            onnx.checker.check_model(folder / name, full_check=True)
    x, w = np.ones((2, 3), np.float32), np.full((2, 3), 3, np.float32)
    seed, variant = (run_model(str(stored[0] / name), {"x": x, "w": w})[0] for name in ("seed.onnx", "variant.onnx"))
    assert not np.array_equal(seed, variant)


def test_without_json_a_person_reads_a_table(tmp_path: Path) -> None:
    done = polyjuice("fuzz", "--compiler", "numpy", "-n", 2, "--workers", 1, cwd=tmp_path)
    assert done.returncode == 0
    table, _, advice = done.stdout.partition("\n\n")
    lines = dict(line.split(maxsplit=1) for line in table.splitlines())
    assert lines["tested"].strip() == "2 cases, 2 programs, 0 pairs"
    assert "% on triage" in lines["spent"]
    assert lines["findings"].strip() == "0 causes"
    assert lines["met"].strip() == "0 findings"
    assert (tmp_path / lines["folder"].strip() / "campaign.sqlite").is_file()
    assert advice.startswith("Nothing was found. Next:\n  polyjuice fuzz --resume campaigns/numpy-")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["--compiler", "eager", "inductor", "numpy"]),
        (["--compiler", "gcc"], ["'gcc'", "eager", "inductor", "numpy"]),
        (
            ["--compiler", "numpy", "--oracle", "crash,delphi"],
            ["--oracle", "choose from", "metamorphic", "crash"],
        ),
        (["--compiler", "numpy", "--profile", "odd"], ["--profile", "choose from", "exact", "normal"]),
        (["--compiler", "numpy", "--seeds", "luck"], ["--seeds luck", "default", "model file"]),
        (["--compiler", "numpy", "--rules", "absent.egg"], ["absent.egg", "no such rule file"]),
        (["--compiler", "numpy", "--targets", "absent.egg"], ["absent.egg", "cannot be read"]),
        (["--compiler", "numpy", "--only-rule", "no-such-*"], ["'no-such-*'", "polyjuice rules list"]),
        (["--compiler", "numpy", "--without-rule", "no-such-*"], ["'no-such-*'", "polyjuice rules list"]),
        (["--compiler", "numpy", "--python", "absent/python"], ["no Python interpreter", "absent/python"]),
        (["--compiler", "numpy", "--disruptive"], ["--disruptive", "--seeds hirgen"]),
        (["--compiler", "numpy", "--disruptive", "--seeds", "isra"], ["--disruptive", "--seeds hirgen"]),
        (
            ["--compiler", "numpy", "--disruptive", "--seeds", "hirgen", "--oracle", "crash,optlevel"],
            ["--oracle optlevel", "only crash and validation can judge"],
        ),
        (["--resume", "."], ["no campaign", "campaign.sqlite"]),
        (["--resume", "absent"], ["absent holds no campaign"]),
    ],
)
def test_a_mistake_in_the_options_is_one_line(tmp_path: Path, arguments: Sequence[str], words: Sequence[str]) -> None:
    message = refusal(*arguments, *([] if "--resume" in arguments else ["-n", 1]), cwd=tmp_path)
    assert all(word in message for word in words), message
    assert not list(tmp_path.iterdir())  # nothing has begun


@pytest.mark.parametrize("command", ["fuzz", "rewrite"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, command: str) -> None:
    path = tmp_path / "notes.onnx"
    path.write_text("these are notes")
    arguments = [path] if command == "rewrite" else ["--compiler", "numpy", "-n", 1, "--seeds", path]
    assert f"{path}: not an ONNX model" in refusal(*arguments, command=command, cwd=tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('; one\n(rewrite (Sub x y)\n (Sub y z) :ruleset exact :name "r")', 2, "'r': Unbound symbol z"),
        ('(rewrite (Sub x y) (Sub x y) :ruleset exact :name "add-commutative")', 1, "arithmetic.egg:"),
        ('(rewrite (Max x y) x :ruleset exact :name "m")', 1, "did you mean Max2"),
        ('(rewrite (Rellu x) x :ruleset exact :name "m")', 1, "did you mean Relu"),
    ],
)
def test_a_mistake_in_a_rule_file_is_told_with_file_and_line(tmp_path: Path, text: str, line: int, reason: str) -> None:
    path = tmp_path / "mine.egg"
    path.write_text(text + "\n")
    message = refusal("--compiler", "numpy", "-n", 1, "--rules", path, cwd=tmp_path)
    assert message.startswith(f"{path}:{line}: ")
    assert reason in message


def test_an_interpreter_without_the_framework_says_what_to_install(tmp_path: Path) -> None:
    """The first missing package is NumPy, which the worker needs. The second is the framework."""
    venv.create(tmp_path / "bare", with_pip=False)
    python = tmp_path / "bare/bin/python"
    message = refusal("--compiler", "inductor", "-n", 1, "--python", python, cwd=tmp_path)
    assert str(python) in message
    assert "NumPy >= 1.24" in message
    (packages,) = (tmp_path / "bare/lib").glob("python*/site-packages")
    for source in Path(np.__file__).parents[1].glob("numpy*"):
        (packages / source.name).symlink_to(source)
    message = refusal("--compiler", "inductor", "-n", 1, "--python", python, cwd=tmp_path)
    assert installable("pip install 'polyjuice-fuzzer[inductor]'", str(python)) in message
    assert f"in {python}: No module named 'torch'" in message


def test_the_folder_of_another_campaign_is_refused(tmp_path: Path) -> None:
    assert fuzz(tmp_path / "c", "--compiler", "numpy", "-n", 4, "--only-rule", "add-*")[0] == 0
    before = (tmp_path / "c/campaign.sqlite").read_bytes()
    message = refusal("--compiler", "numpy", "-n", 1, "--out", tmp_path / "c")
    assert "--resume" in message
    assert (tmp_path / "c/campaign.sqlite").read_bytes() == before
    message = refusal("--compiler", "numpy", "--seed", 3, "--resume", tmp_path / "c")
    assert "--seed: the campaign in " in message
    assert " began with 0, not 3" in message


def test_saturation_reaches_as_far_as_its_limits_say(model: Path, tmp_path: Path) -> None:
    def enodes(*limits: int | str) -> int:
        done = polyjuice("rewrite", model, "--out", tmp_path, "--json", *limits)
        found: int = json.loads(done.stdout)["enodes"]
        return found

    few = enodes("--enodes", 3000, "--rules-per-graph", 1)
    some = enodes("--enodes", 3000, "--iterations", 1)
    many = enodes("--enodes", 3000, "--iterations", 6, "--rules-per-graph", 0)
    assert few < some < many


@pytest.mark.parametrize("command", ["fuzz", "rewrite"])
def test_an_out_that_is_a_file_is_refused(model: Path, tmp_path: Path, command: str) -> None:
    arguments = [model] if command == "rewrite" else ["--compiler", "numpy", "-n", 1]
    (tmp_path / "taken").write_text("mine")
    message = refusal(*arguments, "--out", tmp_path / "taken", command=command)
    assert str(tmp_path / "taken") in message
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize("content", [b"", b"not a database" * 100])
def test_a_damaged_database_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "campaign.sqlite").write_bytes(content)
    assert str(tmp_path / "campaign.sqlite") in refusal("--resume", tmp_path)


def rewrite(model: Path, out: Path, *arguments: object) -> dict[str, Any]:
    done = polyjuice("rewrite", model, "--out", out, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def test_rewrite_writes_equal_models_of_growing_size(rewritten: tuple[Path, dict[str, Any], Path]) -> None:
    model, summary, out = rewritten
    assert summary["ops_min"] <= summary["ops_original"] == 3 < summary["ops_max"]
    assert summary["enodes"] >= summary["eclasses"] > 0
    assert summary["stopped_by"] in ("saturated", "enodes", "iterations", "matches")
    assert summary["rules"]
    assert all(matches > 0 for matches in summary["rules"].values())
    files = ["min.onnx", "step-1.onnx", "step-2.onnx", "max.onnx"]
    assert {path.name for path in out.iterdir()} == {*files, "pair.svg"}
    sizes = [len(onnx.load(out / name).graph.node) for name in files]
    assert sizes[0] < sizes[-1]
    assert sizes[-1] >= summary["ops_max"]
    rng = np.random.default_rng(0)
    feeds = {name: rng.integers(-4, 5, (3, 4)).astype(np.float32) for name in "xw"}
    (expected,) = run_model(str(model), feeds)
    for name in files:
        onnx.checker.check_model(out / name, full_check=True)
        np.testing.assert_array_equal(run_model(str(out / name), feeds)[0], expected)


def test_rewrite_draws_the_pair(rewritten: tuple[Path, dict[str, Any], Path]) -> None:
    text = (rewritten[2] / "pair.svg").read_text()
    svg = "{http://www.w3.org/2000/svg}"
    assert {"min", "max"} <= {element.text for element in ElementTree.fromstring(text).iter(f"{svg}text")}
    assert any("differs" in element.get("class", "") for element in ElementTree.fromstring(text).iter(f"{svg}g"))
    assert "var(" not in text  # programs that read SVG files do not know variables


def test_rewriting_adds_no_operator_that_onnx_cannot_say() -> None:
    """Rules express sums of logarithms by Torch's ``lgamma``, which ONNX lacks."""
    gamma, square = TABLE["aten", "lgamma"], TABLE["aten", "square"]
    build = GraphBuilder()
    x = build.input(TensorType("float32", (1, 2, 6, 6)))
    plain = build.build([build.op("Relu", x)])
    own = build.build(build.multi(gamma.name, x, domain="aten"))
    assert [sayable(plain)(op, (), ()) for op in (gamma, square)] == [False, True]
    assert sayable(own)(gamma, (), ()), "the model has it"


def test_rewrite_depends_on_its_seed_alone(rewritten: tuple[Path, dict[str, Any], Path], tmp_path: Path) -> None:
    model, _, out = rewritten
    rewrite(model, tmp_path / "again", "--variants", 4)
    assert (tmp_path / "again/max.onnx").read_bytes() == (out / "max.onnx").read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("name", ["squeezenet", "resnet50", "shufflenet", "inception_v1", "inception_v2"])
def test_rewritten_light_models_agree_with_the_original(name: str, tmp_path: Path) -> None:
    """The weights are random. The shipped weights are equal, and make the outputs constant."""
    original = onnx.load(LIGHT / f"light_{name}.onnx")
    with_random_weights(original.graph, random_weights(original.graph))
    original.ir_version = 4  # since this version, an initializer need not be an input
    path = tmp_path / "original.onnx"
    onnx.save(original, path)
    weights = {tensor.name for tensor in original.graph.initializer}
    (entry,) = [i for i in original.graph.input if i.name not in weights]
    shape = [d.dim_value for d in entry.type.tensor_type.shape.dim]
    del original

    summary = rewrite(path, tmp_path / "out")
    assert summary["ops_min"] <= summary["ops_original"] < summary["ops_max"]
    feeds = {entry.name: np.random.default_rng(1).standard_normal(shape, np.float32)}
    (expected,) = run_model(str(path), feeds)
    assert np.ptp(expected) > 0
    for file in ("min.onnx", "max.onnx"):
        (actual,) = run_model(str(tmp_path / "out" / file), feeds)
        np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def test_ops_lists_the_operator_table() -> None:
    done = polyjuice("ops", "--json")
    rows = json.loads(done.stdout)["ops"]
    assert done.returncode == 0
    assert {(row["domain"], row["name"]) for row in rows} == set(TABLE)
    keys = {"name", "domain", "arity", "dtypes", "torch", "onnx", "tensorflow", "holes"}
    assert all(set(row) == keys for row in rows)
    assert all(bool(row["holes"].get(name)) != row[name] for row in rows for name in FRAMEWORKS)
    add = next(row for row in rows if row["name"] == "Add")
    assert (add["domain"], add["arity"], add["onnx"], add["torch"]) == ("", [2, 2], True, True)
    assert {"float32", "bfloat16", "int64"} <= set(add["dtypes"])
    assert "bool" not in add["dtypes"]


def test_ops_tells_all_of_an_operator() -> None:
    done = polyjuice("ops", "aten.tanhshrink", "Softmax", "--json")
    found = {row["name"]: {fact["name"]: fact for fact in row["facts"]} for row in json.loads(done.stdout)["ops"]}
    assert found["aten.tanhshrink"]["definition"] == {
        "name": "definition",
        "text": "(Sub x0 (Tanh x0))",
        "absent": False,
    }
    assert found["Softmax"]["definition"] == {"name": "definition", "text": "ONNX's standard", "absent": True}
    assert "softmax-by-exp" in found["Softmax"]["rules"]["text"]
    assert found["Softmax"].keys() == found["aten.tanhshrink"].keys()
    assert [found[name]["meaning"]["text"] for name in found] == ["from the definition", "of its own"]
    shown = polyjuice("ops", "Softmax").stdout
    assert "none: it does not choose among equal elements" in shown
    assert not [line for line in shown.splitlines() if line != line.rstrip()]


@pytest.mark.parametrize(
    ("name", "meant"), [("Matmul", "MatMul"), ("RELU", "Relu"), ("tanhshrink", "aten.tanhshrink"), ("Qwzx", "")]
)
def test_a_wrong_operator_is_answered_with_the_one_that_looks_like_it(name: str, meant: str) -> None:
    end = f"did you mean {meant}?" if meant else "polyjuice ops lists them"
    assert refusal(name, command="ops") == f"no operator is called {name}; {end}"


@pytest.mark.parametrize("name", one_in(6, [op.qualified for op in TABLE.values()]))
def test_every_operator_has_every_fact_or_a_reason(name: str) -> None:
    (op,) = matching([name])
    found = list(facts(op, ()))
    assert [fact.name for fact in found] == [fact.name for fact in facts(TABLE["", "Add"], ())]
    assert all(fact.text.strip() for fact in found)


def test_what_does_not_follow_from_a_definition_has_a_reason() -> None:
    for op in TABLE.values():
        overrides = [field for field in (op.numpy, op.error, op.partial) if field and not is_derived(field)]
        assert bool(op.why_not_derived) == (callable(op.definition) and bool(overrides)), op.qualified


@pytest.mark.parametrize(
    "names",
    [pytest.param(("inductor", "numpy"), id="two"), pytest.param((), id="all", marks=pytest.mark.long)],
)
def test_compilers_lists_all_and_why_one_cannot_be_used(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if names:
        monkeypatch.setattr(compilers, "names", lambda: names)
    done = polyjuice("compilers", "--json", env={"PATH": str(tmp_path), "CXX": ""})
    rows = {row["name"]: row for row in json.loads(done.stdout)["compilers"]}
    assert done.returncode == 0
    assert tuple(rows) == tuple(compilers.names())
    assert all(set(row) == {"name", "available", "version", "reason", "coverage"} for row in rows.values())
    assert (rows["numpy"]["available"], rows["numpy"]["version"]) == (True, np.__version__)
    assert rows["inductor"]["available"] is False
    assert "install g++" in rows["inductor"]["reason"]


def test_rules_list_gives_name_exactness_and_place(tmp_path: Path) -> None:
    mine = tmp_path / "mine.egg"
    mine.write_text('\n(rewrite (Neg (Neg x)) x :ruleset exact :name "mine") ; --x = x\n')
    rows = {row["name"]: row for row in json.loads(polyjuice("rules", "list", "--json").stdout)["rules"]}
    more = json.loads(polyjuice("rules", "list", "--rules", mine, "--json").stdout)["rules"]
    assert len(more) == len(rows) + 1
    assert more[-1] == {"name": "mine", "ruleset": "exact", "file": str(mine), "line": 2, "rule": "--x = x"}
    for row in rows.values():
        assert row["ruleset"] in ("exact", "modular", "real")
        text = Path(row["file"]).read_text().splitlines()[row["line"] - 1 : row["line"] + 8]
        assert f':name "{row["name"]}"' in "\n".join(text)


def test_rules_show_prints_the_rule() -> None:
    done = polyjuice("rules", "show", "add-commutative")
    assert done.returncode == 0
    assert '(rewrite (Add x y) (Add y x) :ruleset exact :name "add-commutative")' in done.stdout
    message = refusal("show", "no-such-rule", command="rules")
    assert "polyjuice rules list" in message


def test_operators_to_generate_are_chosen_by_name(tmp_path: Path) -> None:
    done = polyjuice(
        "generate", "-n", 5, "--out", tmp_path / "out", "--only-operator", "Re?u", "--only-operator", "aten.roll"
    )
    assert done.returncode == 0, done.stderr
    operators = {node.qualified for p in (tmp_path / "out").iterdir() for node in graph_files.load(p).nodes}
    assert operators == {"Relu", "aten.roll"}


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], Path]:
    """A model, the summary of its rewriting with a drawing, and the folder with the results."""
    folder = tmp_path_factory.mktemp("rewritten")
    model, out = save_model(folder / "small.onnx"), folder / "a/b"
    return model, rewrite(model, out, "--variants", 4, "--draw"), out
