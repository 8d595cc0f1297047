"""``polyjuice doctor`` prints one line for each problem of an installation, with the command that solves it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.cli import checks
from polyjuice.cli.checks import State
from tests.support.commands import polyjuice, refusal
from tests.support.plugins import plugin

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
    assert "pip install 'polyjuice-fuzzer[smt]'" in found[-1].message
