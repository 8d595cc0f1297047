"""Campaigns: the number of processes does not change them, and they resume after every interrupt."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Preparation
from polyjuice.frameworks.torch import source as torch_source
from tests.support.commands import COMMAND, MODEL, ONE_RULE, PLAIN, fuzz, polyjuice, refusal, save_model
from tests.support.plugins import plugin
from tests.support.sessions import executed
from tests.support.shares import in_the_long_run
from tests.support.traces import Traces
from tests.support.workers import HOPELESS_S


def rows(campaign: Path) -> dict[int, tuple[int, str, str]]:
    """The stored cases: index to (pairs, reason for skipping, seconds). Makes no file where there is no campaign."""
    with sqlite3.connect(f"{(campaign / 'campaign.sqlite').as_uri()}?mode=rw", uri=True) as db:
        fields = "json_extract(result, '$.pairs'), json_extract(result, '$.skipped'), json_extract(result, '$.seconds')"
        return {row[0]: row[1:] for row in db.execute(f'SELECT "index", {fields} FROM cases')}


def verdicts(campaign: Path) -> dict[int, tuple[int, str]]:
    return {index: row[:2] for index, row in rows(campaign).items()}


# --- plugins --------------------------------------------------------------------------------------------------


def test_a_compiler_whose_start_fails_is_a_problem_of_the_environment(tmp_path: Path) -> None:
    """The probe before the campaign does not start the compiler, so it does not notice."""
    env = plugin(tmp_path / "site", "def start(options): raise RuntimeError('no such device')")
    assert "no such device" in refusal("--compiler", "fake", "-n", 2, "--out", tmp_path / "c", env=env)


def test_a_campaign_that_tested_nothing_ends_with_2(tmp_path: Path) -> None:
    env = plugin(tmp_path / "site", "def load(artifact): raise NotImplementedError('no tensors here')")
    options = (*PLAIN, "--only-operator", "Relu", "--out", tmp_path / "c", "--json")
    done = polyjuice("fuzz", "--compiler", "fake", "-n", 1, *options, env=env)
    assert done.returncode == 2
    assert done.stderr.endswith(
        "polyjuice: the campaign tested nothing: it skipped 1 case: 1 unsupported (NotImplementedError: no tensors "
        f"here); the log is {tmp_path / 'c' / 'log'}\n"
    )
    summary = json.loads(done.stdout)
    assert (summary["tested"], summary["skipped"]) == (0, 1)
    assert "unsupported: NotImplementedError: no tensors here" in (tmp_path / "c/log").read_text()


def test_a_model_that_does_not_load_is_counted_as_that(tmp_path: Path) -> None:
    """The other model is tested, and the summary says what came of neither case of the first."""
    code = """
    def load(artifact):
        if b"Neg" in artifact["source"]:
            raise NotImplementedError("no tensors here")
        return control.load(artifact)
    """
    env = plugin(tmp_path / "site", code)
    models = [save_model(tmp_path / "good.onnx"), save_model(tmp_path / "bad.onnx", MODEL.replace("Relu", "Neg"))]
    seeds = [word for model in models for word in ("--seeds", model)]
    options = ["-n", 4, *PLAIN, "--max-skipped", 60, "--out", tmp_path / "c"]
    done = polyjuice("fuzz", "--compiler", "fake", *seeds, *options, env=env)
    assert done.returncode == 0, done.stderr
    lines = {" ".join(line.split()) for line in done.stdout.splitlines()}
    lost = f"not loaded 1 model: {models[1]}: NotImplementedError: no tensors here"
    assert {"skipped 2 (2 not loaded)", lost} <= lines, done.stdout
    assert not any(line.startswith(f"model {models[1]}") for line in lines)


# --- determinism ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_process")
def test_a_case_depends_on_the_seed_and_its_index_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config(compiler="numpy", cases=3, seed=5, variants=3, nodes=4)
    forwards = executed(config, range(3), tmp_path, monkeypatch)
    shuffled = executed(config, (2, 0, 1), tmp_path, monkeypatch)
    assert shuffled == forwards
    assert len(set(forwards.values())) == 3
    other = executed(replace(config, seed=6), range(1), tmp_path, monkeypatch)
    assert not set(other.values()) & set(forwards.values())


@pytest.mark.long
def test_a_case_does_not_depend_on_the_hash_seed_of_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = """
import json, sys
from pathlib import Path
import pytest
from polyjuice.campaign.config import Config
from tests.support.sessions import executed
with pytest.MonkeyPatch.context() as patch:
    print(json.dumps(executed(Config(compiler="numpy", seed=5), range(3), Path(sys.argv[1]), patch)))
"""
    answers = []
    for hash_seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(
            [sys.executable, "-c", script, tmp_path], capture_output=True, text=True, env=env, timeout=100
        )
        assert done.returncode == 0, done.stderr
        answers.append(json.loads(done.stdout))
    assert answers[0] == answers[1]
    assert len(answers[0]) == 3


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    """The files of the findings are the same, too."""
    wrong = """
    def run(compiled, inputs):
        outputs = control.run(compiled, inputs)
        if len(compiled.nodes) > 4:
            return [(dtype, values + 1) for dtype, values in outputs]
        return outputs
    """
    env = plugin(tmp_path / "site", wrong)
    model = save_model(tmp_path / "small.onnx")
    common = ["--compiler", "fake", "-n", 2, "--seed", 3, "--seeds", model, *ONE_RULE]
    found = []
    for workers in (1, 3):
        status, summary = fuzz(tmp_path / str(workers), *common, "--workers", workers, env=env, processes=workers > 1)
        assert status == 1
        kept = ("tested", "skipped", "findings", "raw_findings", "by_kind", "unsound_variants")
        files = {
            str(path.relative_to(tmp_path / str(workers))): path.read_bytes()
            for path in (tmp_path / str(workers) / "findings").rglob("*")
            if path.suffix in (".json", ".onnx", ".py")
        }
        found.append(([summary[key] for key in kept], verdicts(tmp_path / str(workers)), files))
    assert found[0] == found[1]
    assert found[0][2]


@pytest.mark.parametrize("strategy", ["hirgen", "gencog"])
def test_what_earlier_cases_hold_does_not_depend_on_who_ran_them(tmp_path: Path, strategy: str) -> None:
    """Three batches. One process runs all cases, two processes share them, and another campaign stops and goes on."""
    code = f"""
    def load(artifact):
        import hashlib, pathlib
        (pathlib.Path({str(tmp_path)!r}) / hashlib.sha1(artifact["source"]).hexdigest()).touch()
        return control.load(artifact)
    """
    env = plugin(tmp_path / "site", code)
    operators = [word for name in ("Relu", "Tanh", "Add", "Concat") for word in ("--only-operator", name)]
    common = ["--compiler", "fake", "--seeds", strategy, "--nodes", 3, "--seed", 4, *operators, *PLAIN]

    def programs() -> set[str]:
        found = [path for path in tmp_path.iterdir() if path.is_file()]
        for path in found:
            path.unlink()
        return {path.name for path in found}

    fuzz(tmp_path / "probing", *common, "-n", 36, env=env)
    programs()  # the first campaign asks which operators the compiler takes
    found = []
    for name, workers in (("one", 1), ("two", 2)):
        fuzz(tmp_path / name, *common, "-n", 36, "--workers", workers, env=env, processes=workers > 1)
        found.append((programs(), verdicts(tmp_path / name)))
    fuzz(tmp_path / "resumed", *common, "-n", 20, env=env)
    polyjuice("fuzz", "--resume", tmp_path / "resumed", "-n", 36, env=env)
    found.append((programs(), verdicts(tmp_path / "resumed")))
    assert len(found[0][0]) == 36
    assert found[0] == found[1] == found[2]


# --- interrupts -----------------------------------------------------------------------------------------------

HALTING = """
import signal, sqlite3

def compile(program, inputs):
    with sqlite3.connect({database!r}, timeout=60) as db:
        (stored,) = db.execute("SELECT count(*) FROM cases").fetchone()
    while stored >= {cases}:
        signal.pause()
    return control.compile(program, inputs)
"""
"""The campaign halts once it has stored this number of cases."""


class Campaign(Traces):
    """A campaign in the background, in a process group of its own."""

    begun: ClassVar[list[Campaign]] = []

    def __init__(
        self, out: Path, folder: Path, env: Mapping[str, str], *arguments: object, background: bool = False
    ) -> None:
        """With ``background``, SIGINT is ignored, as in a shell's script after ``&``."""
        super().__init__(folder)
        self.out = out
        self._process = subprocess.Popen(
            [COMMAND, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **env, **self.env},
            start_new_session=True,
            preexec_fn=(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if background else None,
        )
        self.begun.append(self)

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition holds. Fail if the command ends first."""
        while not condition():
            assert self._process.poll() is None, self._process.communicate()
            time.sleep(0.02)

    def cases(self) -> int:
        try:
            return len(rows(self.out))
        except sqlite3.OperationalError:  # the file does not exist yet, or another process writes it
            return 0

    def end(self, number: int) -> tuple[int, str, str]:
        """Send the signal to the command alone. Return its exit status and its output."""
        self._process.send_signal(number)
        stdout, stderr = self._process.communicate(timeout=HOPELESS_S)
        return self._process.returncode, stdout, stderr

    def signal_all(self, number: int) -> None:
        """Send the signal to all processes of the command's group, as a terminal does."""
        os.killpg(self._process.pid, number)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self.signal_all(signal.SIGKILL)
        self._process.wait()


@pytest.fixture(autouse=True)
def no_campaign_outlives_its_test() -> Iterator[None]:
    yield
    while Campaign.begun:
        Campaign.begun.pop().kill()


needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
CASES = 10


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[int, str]]:
    folder = tmp_path_factory.mktemp("uninterrupted")
    arguments = ["--compiler", "fake", "-n", CASES, "--seed", 9, "--workers", 2, *PLAIN]
    assert fuzz(folder / "c", *arguments, env=plugin(folder / "site"))[0] == 0
    return verdicts(folder / "c")


def halting(tmp_path: Path, cases: int) -> dict[str, str]:
    return plugin(tmp_path / "site", HALTING.format(database=str(tmp_path / "c/campaign.sqlite"), cases=cases))


def start(tmp_path: Path, env: Mapping[str, str], how: Sequence[str] = PLAIN, *, background: bool = False) -> Campaign:
    out = tmp_path / "c"
    arguments = ["--compiler", "fake", "-n", CASES, "--seed", 9, "--workers", 2, *how, "--json", "--out", out]
    return Campaign(out, tmp_path, env, "fuzz", *arguments, background=background)


def assert_interruptible(command: Campaign, begun: Path, number: signal.Signals = signal.SIGINT) -> None:
    """Once the file ``begun`` exists, an interrupt ends a command and all its processes."""
    command.wait_until(begun.exists)
    status, _, stderr = command.end(number)
    assert (status, "Traceback" in stderr) == (130, False)
    assert command.left() == []


def assert_resumes(tmp_path: Path, uninterrupted: dict[int, tuple[int, str]]) -> None:
    """A resumed campaign runs no stored case again, and its result is that of a campaign without the interruption."""
    before = rows(tmp_path / "c")
    done = polyjuice("fuzz", "--resume", tmp_path / "c", "--json", env=plugin(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    after = rows(tmp_path / "c")
    assert before.items() <= after.items()
    assert verdicts(tmp_path / "c") == uninterrupted
    summary = json.loads(done.stdout)
    assert summary["tested"] + summary["skipped"] == CASES
    assert summary["seed"] == 9


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTERM, *in_the_long_run(signal.SIGINT, signal.SIGHUP)])
def test_an_interrupt_saves_everything_and_leaves_nothing_running(
    tmp_path: Path, uninterrupted: dict[int, tuple[int, str]], number: signal.Signals
) -> None:
    campaign = start(tmp_path, halting(tmp_path, 3))
    campaign.wait_until(lambda: campaign.cases() >= 3)
    status, stdout, stderr = campaign.end(number)
    assert status == 130
    assert "Warning" not in stderr
    assert stderr.endswith(f"interrupted; continue with: polyjuice fuzz --resume {tmp_path / 'c'}\n")
    summary = json.loads(stdout)
    stored = rows(tmp_path / "c")
    assert 3 <= len(stored) < CASES
    assert summary["tested"] + summary["skipped"] == len(stored)
    assert campaign.left() == []
    assert_resumes(tmp_path, uninterrupted)


@needs_proc
def test_a_running_campaign_is_not_run_twice(tmp_path: Path) -> None:
    env = plugin(tmp_path / "site", "def compile(program, inputs): import signal; signal.pause()")
    campaign = start(tmp_path, env)
    campaign.wait_until((tmp_path / "c/log").exists)
    assert "another process is running this campaign" in refusal("--resume", tmp_path / "c")
    assert "--resume" in refusal("--compiler", "numpy", "-n", 1, "--out", tmp_path / "c")
    assert polyjuice("known", "check", tmp_path / "c").returncode == 0, "what only reads works"
    campaign.end(signal.SIGKILL)


@needs_proc
@pytest.mark.parametrize("stage", ["check()", *in_the_long_run("start(options)")])
def test_an_interrupt_before_the_first_case_ends_with_130(tmp_path: Path, stage: str) -> None:
    slow = f"""
    import signal
    def {stage}:
        open({str(tmp_path / "begun")!r}, "w").close()
        signal.pause()
    """
    assert_interruptible(start(tmp_path, plugin(tmp_path / "site", slow)), tmp_path / "begun")


@needs_proc
def test_a_hanging_compiler_does_not_outlive_its_campaign(tmp_path: Path) -> None:
    hanging = f"""
    def compile(program, inputs):
        open({str(tmp_path / "begun")!r}, "w").close()
        while True: pass
    """
    assert_interruptible(start(tmp_path, plugin(tmp_path / "site", hanging)), tmp_path / "begun")


@pytest.mark.long
@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_to_all_processes_end_a_campaign_as_one_to_the_command_does(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A terminal that is closed signals to all, twice here. A shell has made the campaign ignore SIGINT."""
    campaign = start(tmp_path, halting(tmp_path, 1), background=True)
    campaign.wait_until(lambda: campaign.cases() >= 1)
    campaign.signal_all(number)
    campaign.signal_all(number)
    status, stdout, stderr = campaign.end(number)
    assert (status, json.loads(stdout)["tested"] >= 1) == (130, True)
    assert stderr.endswith(f"interrupted; continue with: polyjuice fuzz --resume {tmp_path / 'c'}\n")
    assert campaign.left() == []


@needs_proc
def test_an_interrupt_ends_replay_and_its_reproducer(tmp_path: Path) -> None:
    (tmp_path / "repro.py").write_text(f"import signal; open({str(tmp_path / 'begun')!r}, 'w').close(); signal.pause()")
    command = Campaign(tmp_path, tmp_path, {}, "replay", tmp_path, "--python", sys.executable)
    assert_interruptible(command, tmp_path / "begun", signal.SIGTERM)


@pytest.mark.long
@needs_proc
def test_an_interrupt_ends_a_suite_and_its_compilations(tmp_path: Path) -> None:
    hanging = f"""
    import signal
    def compile(program, inputs):
        open({str(tmp_path / "begun")!r}, "w").close()
        signal.pause()
    """
    built = ("suite", "build", "--count", 3, "--formats", "onnx", "--compiler", "none", "--workers", 1)
    assert polyjuice(*built, "--out", tmp_path / "suite").returncode == 0
    arguments = ("suite", "run", tmp_path / "suite", "--compiler", "fake", "--workers", 2)
    command = Campaign(tmp_path, tmp_path, plugin(tmp_path / "site", hanging), *arguments)
    assert_interruptible(command, tmp_path / "begun", signal.SIGTERM)


@pytest.mark.long
@needs_proc
def test_a_reproducer_does_not_outlive_its_campaign(tmp_path: Path) -> None:
    hanging = f"""
    import signal, sys
    def run(compiled, inputs):
        if sys.argv[0] == "repro.py":
            open({str(tmp_path / "begun")!r}, "w").close()
            signal.pause()
        raise ValueError("no")
    """
    env = plugin(tmp_path / "site", hanging)
    assert_interruptible(start(tmp_path, env, ("--extract", "original", "--oracle", "crash")), tmp_path / "begun")


def test_a_finished_campaign_says_so_and_resumes_to_the_same_summary(tmp_path: Path) -> None:
    options = ("--compiler", "numpy", "-n", 3, "--seed", 0, *PLAIN, "--out", tmp_path / "c")
    _, first = fuzz(*options[-1:], *options[:-2])
    done = polyjuice("fuzz", "--resume", tmp_path / "c", *options, "--json")
    assert done.returncode == 0
    assert "the campaign is finished: 3 cases" in done.stderr
    assert f"polyjuice fuzz --resume {tmp_path / 'c'} -n 30" in done.stderr
    again = json.loads(done.stdout)
    for key in ("compiler", "version", "seed", "tested", "skipped", "findings", "share", "out"):
        assert again[key] == first[key], key


def test_a_finished_campaign_goes_on_to_more_cases(tmp_path: Path) -> None:
    fuzz(tmp_path / "c", "--compiler", "numpy", "-n", 2, "--seed", 7, *PLAIN)
    for more in (["-n", 4], []):
        done = polyjuice("fuzz", "--resume", tmp_path / "c", "--workers", 1, "--json", *more)
        assert json.loads(done.stdout)["tested"] + json.loads(done.stdout)["skipped"] == 4
    fuzz(tmp_path / "whole", "--compiler", "numpy", "-n", 4, "--seed", 7, *PLAIN)
    assert verdicts(tmp_path / "c") == verdicts(tmp_path / "whole")


def test_a_resumed_campaign_takes_other_known_bugs_and_another_interpreter(tmp_path: Path) -> None:
    """The files and programs that the campaign began with may have moved meanwhile."""
    before, after = (tmp_path / name for name in ("before.toml", "after.toml"))
    before.write_text("")
    model = save_model(tmp_path / "small.onnx")
    fuzz(tmp_path / "c", "--compiler", "numpy", "-n", 1, "--known", before, "--seeds", model, *PLAIN)
    before.rename(after)
    assert str(before) in refusal("--resume", tmp_path / "c")
    for options in (["--known", after], []):
        assert polyjuice("fuzz", "--resume", tmp_path / "c", *options).returncode == 0
    absent = tmp_path / "bin/python"
    assert str(absent) in refusal("--resume", tmp_path / "c", "--python", absent)
    model.unlink()
    assert str(model) in refusal("--resume", tmp_path / "c", "-n", 2)


# --- faults of our own ----------------------------------------------------------------------------------------


def test_an_internal_error_is_stored_and_ends_with_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare = Preparation.case

    def case(self: Preparation, index: int, attempt: int) -> Any:
        if index == 1:
            raise KeyError("planted")
        return prepare(self, index, attempt)

    monkeypatch.setattr(Preparation, "case", case)
    status, summary = fuzz(tmp_path / "c", "--compiler", "numpy", "-n", 3, *PLAIN)
    assert status == 3
    assert (summary["tested"], summary["findings"], summary["unsound_variants"]) == (2, 0, 0)
    assert "KeyError: 'planted'" in (tmp_path / "c/log").read_text()


def test_a_program_that_polyjuice_misspells_is_a_defect_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    misspelt = replace(torch_source.DIALECT, texts=lambda op: ("torch.rellu({0})",))
    monkeypatch.setattr(torch_source, "DIALECT", misspelt)
    options = ("--compiler", "eager", "-n", 3, "--only-operator", "Relu", *PLAIN)
    status, summary = fuzz(tmp_path / "c", *options)
    assert status == 3
    assert (summary["defects"], summary["findings"], summary["skipped"]) == (3, 0, 0)
    assert "has no attribute 'rellu'" in (tmp_path / "c/log").read_text()
