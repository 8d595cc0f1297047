"""The help: groups of commands, one screen of important options, completion, and advice on the next command."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

import pytest

from polyjuice import compilers
from polyjuice.cli import command
from tests.support.commands import ROOT, polyjuice

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
    monkeypatch.setattr(compilers, "is_installed", lambda name: name == "numpy")
    bare = polyjuice()
    assert "No compiler is installed here.\n" in bare.stdout
    assert "pip install 'polyjuice-fuzzer[onnxruntime]'" in bare.stdout


def test_fuzz_without_a_compiler_lists_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "is_installed", lambda name: name in ("onnxruntime", "numpy"))
    done = polyjuice("fuzz")
    assert done.returncode == 2
    assert done.stderr.startswith("polyjuice: which compiler? ")
    assert "--compiler: numpy, onnxruntime (not installed: eager, " in done.stderr


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
