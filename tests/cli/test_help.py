"""The help, completion, mistakes, ``polyjuice doctor``, and the advice at the end of a campaign."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice import compilers
from polyjuice.campaign.config import Config
from polyjuice.campaign.seeds import Seeds
from polyjuice.cli import checks, command
from polyjuice.cli.checks import State
from polyjuice.cli.summary import covered_models, model_lines, next_steps, unfired, warning
from polyjuice.egraph import load
from polyjuice.plugins import installable
from tests.support.commands import ROOT, polyjuice, refusal, save_model
from tests.support.plugins import plugin

WIDE = {"COLUMNS": "100"}


def options(text: str) -> set[str]:
    """The options that a help text lists. Each has a line of its own in a panel."""
    return set(re.findall(r"^│ +(--?[\w-]+)", text, re.MULTILINE))


def test_commands_stand_in_groups_with_examples() -> None:
    text = polyjuice("--help", env=WIDE).stdout
    for panel in ("Find bugs", "Work on findings", "Models, graphs and rules", "This installation"):
        assert f"─ {panel} ─" in text
    shown = re.findall(r"^│ +([a-z]+) +[A-Z]", text, re.MULTILINE)
    assert shown == list(dict.fromkeys(shown))
    assert set(shown) == set(command().commands)
    assert "polyjuice fuzz --compiler onnxruntime --time 2m" in text


def test_fuzz_shows_ten_options_on_one_screen() -> None:
    text = polyjuice("fuzz", "--help", env=WIDE).stdout
    assert len(text.splitlines()) <= 40
    assert options(text) == {
        *("--compiler", "--time", "-n", "--seeds", "--python", "--rules", "--workers", "--seed", "--out", "--resume"),
        *("--help", "--help-all"),
    }
    assert "Examples:" in text


def test_help_all_shows_every_option_of_fuzz_in_groups() -> None:
    text = polyjuice("fuzz", "--help-all", env=WIDE).stdout
    every = {parameter.opts[0] for parameter in command().commands["fuzz"].params}
    assert options(text) == every | {"--help"}
    assert {"--oracle", "--triage", "--json", "--pack"} <= every
    for panel in ("Seed graphs", "Variants", "Judging", "Compiling", "Output"):
        assert f"─ {panel} ─" in text


def test_paragraphs_of_help_fill_their_lines() -> None:
    """A docstring's line breaks do not become line breaks in the terminal."""
    text = polyjuice("rules", "check", "--help", env=WIDE).stdout
    assert "where all are sound and agree with each other, 1 otherwise." in text


def test_the_command_alone_says_what_to_do_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "is_installed", lambda name: name in ("onnxruntime", "numpy"))
    done = polyjuice()
    assert done.returncode == 2
    assert "Installed here: onnxruntime.\n" in done.stdout
    assert "polyjuice fuzz --compiler onnxruntime --time 2m" in done.stdout
    assert "polyjuice --help" in done.stdout
    message = refusal()
    assert message.startswith("which compiler? ")
    assert "--compiler: numpy, onnxruntime (not installed: eager, " in message
    monkeypatch.setattr(compilers, "is_installed", lambda name: name == "numpy")
    bare = polyjuice()
    assert "No compiler is installed here.\n" in bare.stdout
    assert installable("pip install 'polyjuice-fuzzer[onnxruntime]'") in bare.stdout


def test_what_is_installed_is_known_without_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"torch": None, "numpy": "there"}
    monkeypatch.setattr("importlib.util.find_spec", found.get)
    assert not compilers.is_installed("inductor")
    assert not compilers.is_installed("onnxruntime")


def test_a_group_of_commands_alone_shows_its_help() -> None:
    done = polyjuice("rules", env=WIDE)
    assert done.returncode == 2
    assert "Usage: polyjuice rules" in done.stdout
    assert done.stderr == ""


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"polyjuice \d+\.\d+\.\d+\S*\n", polyjuice("--version").stdout)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["fu"], ["fuzz"]),
        (["fuzz", "--compiler", "ind"], ["inductor"]),
        (["fuzz", "--seeds", "sm"], ["small"]),
        (["fuzz", "--oracle", "crash,gr"], ["crash,gradient"]),
        (["fuzz", "--profile", "exact,e"], ["exact,edge"]),
        (["fuzz", "--only-operator", "Relu"], ["Relu"]),
        (["fuzz", "--only-rule", "relu-as-half"], ["relu-as-half-sum"]),
        (["fuzz", "--tri"], ["--triage"]),  # although the short help leaves it out
        (["rules", "show", "relu-as-half"], ["relu-as-half-sum"]),
        (["generate", "--strategy", "isr"], ["isra"]),
    ],
)
def test_a_shell_completes_names(words: Sequence[str], offered: Sequence[str]) -> None:
    line = ["polyjuice", *words]
    env = {
        "_POLYJUICE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(line),
        "COMP_CWORD": str(len(line) - 1),
    }
    assert polyjuice(env=env).stdout.split() == list(offered)


def test_completion_can_be_installed() -> None:
    assert {"--install-completion", "--show-completion"} <= options(polyjuice("--help", env=WIDE).stdout)


def test_the_command_line_needs_no_optional_package() -> None:
    optional = ("z3", "torch", "tensorflow", "onnxruntime", "jax", "matplotlib", "ray")
    code = f"import sys; sys.modules.update(dict.fromkeys({optional})); import polyjuice.cli"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dance"], ["No such command 'dance'", "(see polyjuice --help)"]),
        (["fuz"], ["No such command 'fuz'", "Did you mean 'fuzz'?"]),
        (["rewrite"], ["Missing argument", "(see polyjuice rewrite --help)"]),
        (["rules", "shw"], ["Did you mean 'show'?", "(see polyjuice rules --help)"]),
        (["fuzz", "--compilr", "numpy"], ["--compilr", "--compiler)", "(see polyjuice fuzz --help)"]),
        (["fuzz", "--compiler"], ["--compiler", "requires an argument"]),
        (["fuzz", "-n", "0"], ["'-n'", "greater than or equal to 1"]),
        (["fuzz", "-n", "x"], ["'-n'", "integer"]),
        (["fuzz", "--nodes", "0"], ["'--nodes'", "greater than or equal to 1"]),
        (["fuzz", "--opset", "99"], ["'--opset'", "less than or equal to 28"]),
        (["fuzz", "--device", "gpu"], ["'--device'", "'gpu' is not one of 'cpu', 'cuda'"]),
        (["fuzz", "--compiler", "numpy", "--time", "5"], ["--time 5: give a number and a unit, as in 90s"]),
        (["fuzz", "--compiler", "numpy", "--time", "0s"], ["--time 0s: give a time above zero"]),
        (["fuzz", "--compiler", "numpy", "-n", "1", "--triage", "5"], ["--triage 5: give a number and a unit"]),
        (["fuzz", "--compiler", "numpy", "--seeds", "absent.onnx"], ["--seeds absent.onnx", "model file"]),
        (["fuzz", "--compiler", "numpy", "--seeds", "/:train:/x.onnx"], ["--seeds /:train:/x.onnx"]),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, arguments: Sequence[str], words: Sequence[str]) -> None:
    message = refusal(*arguments[1:], command=arguments[0], cwd=tmp_path)
    assert all(word in message for word in words), message
    assert not list(tmp_path.iterdir())  # nothing has begun


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "words"),
    [("broken.pt2", "not an exported Torch program ("), ("mine:model", "torch.export cannot trace the model (")],
)
def test_a_model_that_cannot_be_read_is_one_line(source: str, words: str, tmp_path: Path) -> None:
    """test_torch_export.py tests the message of `callables.load`. Here, Torch's own output must not appear."""
    pytest.importorskip("torch")
    (tmp_path / "broken.pt2").write_text("this is no archive")
    (tmp_path / "mine.py").write_text(
        "import torch\n"
        "class Model(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        return x * x.numpy().tolist()\n"
        "def model():\n"
        "    return Model(), (torch.ones(3),)\n"
    )
    message = refusal("--compiler", "inductor", "-n", 1, "--seeds", source, cwd=tmp_path)
    assert f"{source}: {words}" in message


def test_a_full_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        database = sqlite3.connect(tmp_path / "full.sqlite")
        database.execute("PRAGMA max_page_count = 1")
        database.execute("CREATE TABLE t (x)")

    monkeypatch.setattr("polyjuice.compilers.names", full)
    done = polyjuice("fuzz")
    assert done.returncode == 2
    assert done.stderr == "polyjuice: no space left in the folder of the database; free some\n"


def test_an_interrupt_ends_any_command_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("polyjuice.compilers.names", interrupted)
    assert polyjuice("fuzz").returncode == 130


@pytest.mark.parametrize(
    "defect",
    [
        RecursionError("too deep"),
        FileNotFoundError(2, "No such file", "/usr/lib/polyjuice/rules/real.egg"),
        ConnectionRefusedError(111, "Connection refused"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_defect_keeps_its_traceback(defect: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise defect

    for place in ("polyjuice.compilers.names", "polyjuice.campaign.loop._Campaign.run"):
        with monkeypatch.context() as patch:
            patch.setattr(place, fail)
            done = polyjuice("fuzz", *(["--compiler", "numpy", "-n", 1] if "loop" in place else []), cwd=tmp_path)
        assert done.returncode == 3
        assert "Traceback" in done.stderr
        assert type(defect).__name__ in done.stderr
    assert list(tmp_path.glob("campaigns/*/campaign.sqlite"))


def test_a_path_of_the_user_that_fails_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/data/campaign/raw")

    monkeypatch.setattr("polyjuice.campaign.store.Store.open", fail)
    done = polyjuice("known", "check", "/data/campaign", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "polyjuice: /data/campaign/raw: Permission denied\n")


GIB = 2**30


def examined(*arguments: object, env: dict[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    """The exit status, and the message about each subject."""
    done = polyjuice("doctor", *arguments, "--json", env=env)
    report = json.loads(done.stdout)
    return done.returncode, {check["subject"]: (check["state"], check["message"]) for check in report["checks"]}


def test_a_compiler_that_can_be_used_is_named_with_its_version() -> None:
    done = polyjuice("doctor", "numpy")
    assert done.returncode == 0
    assert f"numpy          {np.__version__} in " in done.stdout
    assert "Usable: numpy. Next: polyjuice fuzz --compiler numpy --time 2m" in done.stdout


def test_what_a_compiler_lacks_is_reported_with_its_own_import_error(tmp_path: Path) -> None:
    broken = "raise ImportError('libfast.so: cannot open shared object file')"
    env = plugin(tmp_path / "site", broken, name="broken")
    status, report = examined("broken", env=env)
    assert status == 2
    state, message = report["broken"]
    assert state == "problem"
    assert message.startswith("broken needs a test (in ")
    assert message.endswith(": libfast.so: cannot open shared object file)")


def test_a_compiler_says_itself_what_the_machine_lacks(tmp_path: Path) -> None:
    lacking = "def check(): raise RuntimeError('Lacking needs a C++ compiler: install g++')"
    status, report = examined("numpy", "lacking", env=plugin(tmp_path / "site", lacking, name="lacking"))
    assert status == 0, "another one can be used"
    assert report["lacking"] == ("problem", "Lacking needs a C++ compiler: install g++")


def test_without_a_compiler_the_status_is_2_and_controls_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyjuice.compilers.names", lambda: ["numpy"])
    done = polyjuice("doctor")
    assert done.returncode == 2
    assert "No compiler can be used" in done.stdout


def test_a_compiler_that_there_is_not_is_a_mistake() -> None:
    assert "no compiler is called 'gcc'" in refusal("gcc", command="doctor")


def test_folders_that_cannot_be_written_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "absent"))
    monkeypatch.setattr("tempfile.tempdir", None)
    cache = checks.cache_folder()
    assert cache.state is State.warning
    assert f"{tmp_path / 'file/polyjuice'} cannot be written" in cache.message
    assert "set XDG_CACHE_HOME" in cache.message
    scratch = checks.scratch()
    assert scratch.state is State.warning
    assert f"TMPDIR={tmp_path / 'absent'} cannot be written; " in scratch.message
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "--out" in checks.working_folder().message


def test_without_any_folder_for_temporary_files_nothing_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("tempfile.gettempdir", none)
    check = checks.scratch()
    assert (check.state, "set TMPDIR" in check.message) == (State.problem, True)


@pytest.mark.parametrize(
    ("available", "state", "words"),
    [
        (64 * GIB, State.ok, "64.0 GiB available, 3 GiB for each of 4 processes"),
        (7 * GIB, State.warning, "too little for 4 processes: fuzz with --workers 2"),
        (2 * GIB, State.warning, "one process may need 3 GiB"),
        (None, State.note, "unknown"),
    ],
)
def test_memory_is_compared_with_what_the_processes_need(available: int | None, state: State, words: str) -> None:
    check = checks.memory(available, 4)
    assert check.state is state
    assert words in check.message


def test_memory_is_limited_by_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text(f"{3 * GIB}\n")
    (tmp_path / "memory.current").write_text(f"{1 * GIB}\n")
    monkeypatch.setattr(checks, "_CGROUP", tmp_path)
    assert checks.available_memory() == pytest.approx(2 * GIB)
    (tmp_path / "memory.max").write_text("max\n")
    assert checks.available_memory() != 2 * GIB


def test_without_a_gpu_only_the_device_cuda_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_GPU_DEVICES", ())
    (check,) = checks.gpu(["inductor"], lambda _: "python")
    assert (check.state, check.message) == (
        State.note,
        "no GPU driver is loaded, so --device cuda does not work",
    )


def test_with_a_gpu_each_compiler_of_torch_and_tensorflow_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "_GPU_DEVICES", (str(tmp_path),))
    monkeypatch.setattr(checks.Worker, "start", lambda self: None)
    found = list(checks.gpu(["inductor", "onnxruntime"], lambda _: "python"))
    assert [check.message for check in found] == ["inductor takes --device cuda"]


def test_packages_that_some_commands_need_are_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    found = list(checks.optional())
    assert {check.state for check in found} == {State.note}
    assert installable("pip install 'polyjuice-fuzzer[smt]'") in found[-1].message


CONFIG = Config(compiler="onnxruntime", seeds=("mixed",), time_s=120.0)
NOTHING: dict[str, Any] = {"findings": 0, "known": {}, "out": "campaigns/my one"}


def commands(summary: dict[str, Any], config: Config, generated: bool = True) -> list[str]:
    return [command for command, _ in next_steps(summary, config, generated)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"time_s": 3600.0}, "--time 10h"),
        ({"cases": 20, "time_s": None}, "-n 200"),
        ({"time_s": 3.0}, "--time 1m"),
    ],
)
def test_the_next_campaign_is_ten_times_as_long(changes: dict[str, Any], expected: str) -> None:
    assert commands(NOTHING, replace(CONFIG, **changes))[0].endswith(expected)


def test_the_next_step_is_more_time_other_oracles_a_model_or_a_look_at_findings() -> None:
    assert commands(NOTHING, CONFIG) == [
        "polyjuice fuzz --resume 'campaigns/my one' --time 20m",
        "polyjuice fuzz --compiler onnxruntime --oracle optlevel,determinism,passes",
        "polyjuice fuzz --compiler onnxruntime --seeds MODEL.onnx",
    ]
    met = {**NOTHING, "known": {"https://bug": 3}}
    assert "polyjuice fuzz --compiler onnxruntime --show-known" in commands(met, CONFIG)
    config = replace(CONFIG, compiler="inductor", seeds=("a b.pt2", "m:f"), oracles=("determinism",))
    assert commands(met, config, generated=False)[1:] == [
        "polyjuice fuzz --compiler inductor --seeds 'a b.pt2' --seeds m:f --oracle optlevel,passes",
        "polyjuice fuzz --compiler inductor --seeds 'a b.pt2' --seeds m:f --show-known",
    ]
    assert commands({**NOTHING, "findings": 2}, CONFIG) == ["polyjuice report 'campaigns/my one'"]


def test_rules_that_were_named_or_brought_and_never_fired_are_told(tmp_path: Path) -> None:
    mine = tmp_path / "mine.egg"
    mine.write_text('(rewrite (Neg (Neg x)) x :ruleset exact :name "mine") ; --x = x\n')
    rules = load([mine])
    assert unfired(rules, CONFIG, {"add-commutative": 3}) == ["mine"]
    named = replace(CONFIG, only_rules=("relu-*",))
    chosen = load([mine], ["relu-as-*", "mine"])
    assert unfired(chosen, named, {"mine": 1, "relu-as-half-sum": 2}) == [
        rule.name for rule in chosen if rule.name not in ("mine", "relu-as-half-sum")
    ]
    many = warning([f"r{i}" for i in range(7)], 20)
    assert many.startswith(
        "7 rules of yours never fired in 20 cases, so they tested nothing: r0, r1, r2, r3, r4, ... ("
    )


def test_a_campaign_warns_of_a_rule_that_never_fires_and_tells_what_of_a_model_it_covered(tmp_path: Path) -> None:
    model = save_model(tmp_path / "m.onnx")
    rules = ("--only-rule", "relu-as-half-sum", "--only-rule", "split-concat-first")
    command = ("fuzz", "--compiler", "numpy", "--workers", 1, "-n", 2, "--seeds", model, *rules)
    done = polyjuice(*command, "--out", tmp_path / "c")
    assert done.returncode == 0
    warned = "polyjuice: 1 rule of yours never fired in 2 cases, so it tested nothing: split-concat-first ("
    assert done.stderr.count(warned) == 1
    assert f"model     {model}" in done.stdout
    assert "3 operators of 3 kinds, as you wrote it, and rewritten by 1 rule: 5 programs in 2 cases" in done.stdout


def test_each_model_has_its_own_cases(tmp_path: Path) -> None:
    paths = [str(save_model(tmp_path / f"{name}.onnx")) for name in "ab"]
    cases = [(0, 3), (1, 0), (2, 2), (3, 5)]
    first, second = covered_models(Seeds(paths, 10, 0), cases, compilers.find("inductor"), 4)
    expected = {"operators": 3, "kinds": 3, "opaque": [], "read": True, "user_program": False, "large": False}
    assert first == {"source": paths[0], **expected, "cases": 2, "programs": 5, "rules": 4}
    assert (second["source"], second["cases"], second["programs"]) == (paths[1], 1, 5)


def test_what_is_not_covered_of_a_model_is_said() -> None:
    row: dict[str, Any] = {"source": "m", "operators": 812, "kinds": 9, "opaque": ["NonZero"], "read": True}
    row |= {"user_program": False, "large": True, "cases": 1, "programs": 2, "rules": 30}
    assert model_lines(row, "inductor") == [
        "812 operators of 9 kinds, rewritten by 30 rules: 2 programs in 1 case",
        "inductor does not read this format: Polyjuice translated the model's graph for it",
        "each case rewrites parts of at most 200 operators; further cases take other parts",
        "no rule rewrites NonZero; results that depend on it are not compared with float64",
    ]
    assert model_lines({**row, "read": False}, "inductor") == [
        "1 case of it as you wrote it, each compared with its uncompiled run",
        "Polyjuice cannot read it, so it has no variants and is not compared with float64",
    ]
