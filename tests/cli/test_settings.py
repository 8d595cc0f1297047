"""``polyjuice.toml``: its settings, the commands that use them, what overrides them, and messages about mistakes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Store
from polyjuice.cli.settings import Settings
from polyjuice.triage import known_list
from tests.support.commands import polyjuice, refusal, save_model

RULE = '(rewrite (Neg (Neg x)) x :ruleset exact :name "mine") ; --x = x\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder below the settings' folder. Commands run in it."""
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "ours.egg").write_text(RULE)
    return below


def settle(folder: Path, text: str) -> Path:
    path = folder.parent / "polyjuice.toml"
    path.write_text(text)
    return path


@pytest.fixture
def stored(folder: Path) -> Config:
    """The configuration of a campaign in the folder c."""
    config = Config(compiler="numpy", cases=1, triage_s=0.0)
    Store.create(folder / "c", config).close()
    return config


@pytest.fixture
def begun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Config]:
    """The configuration of the campaign that a command begins. The campaign itself does not run."""

    def create(_: Store | Path, config: Config) -> None:
        configs.append(config)
        raise KeyboardInterrupt

    def configured(*arguments: object) -> Config:
        done = polyjuice("fuzz", *arguments, cwd=folder)
        assert done.returncode == 130, done.stderr
        return configs.pop()

    configs: list[Config] = []
    monkeypatch.setattr(Store, "create", create)
    monkeypatch.setattr(Store, "set_config", create)
    return configured


def test_a_file_above_sets_options_with_paths_of_its_own(folder: Path, begun: Callable[..., Config]) -> None:
    model = save_model(folder.parent / "m.onnx")
    settle(
        folder,
        'compiler = "numpy"\nseeds = ["m.onnx"]\nrules = "ours.egg"\nknown = "none"\nn = 7\nworkers = 3\n'
        'oracle = ["metamorphic", "crash"]\nextract = "steps"\ntimeout = 9.5\nonly-rule = ["mine", "add-*"]\n',
    )
    config = begun()
    assert (config.compiler, config.cases, config.time_s, config.workers) == ("numpy", 7, None, 3)
    assert config.seeds == (str(model),)
    assert config.rules == (str(folder.parent / "ours.egg"),)
    assert (config.known, config.oracles) == ((), ("metamorphic", "crash"))
    assert (config.extract, config.timeout_s, config.only_rules) == ("steps", 9.5, ("mine", "add-*"))


def test_options_win(folder: Path, begun: Callable[..., Config]) -> None:
    settle(folder, 'compiler = "inductor"\nn = 7\noracle = ["crash"]\nseed = 5\nonly-rule = ["add-*"]\n')
    arguments = ("--compiler", "numpy", "--oracle", "differential", "--only-rule", "mul-*")
    config = begun(*arguments)
    assert (config.compiler, config.oracles, config.seed) == ("numpy", ("differential",), 5)
    assert config.only_rules == ("mul-*",)
    config = begun(*arguments, "--time", "3s")
    assert (config.cases, config.time_s) == (None, 3.0), "a budget replaces a budget"


def test_a_compiler_has_its_own_interpreter(folder: Path, tmp_path: Path, begun: Callable[..., Config]) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    settle(folder, 'n = 1\n[python]\nnumpy = "python"\n')
    config = begun("--compiler", "numpy")
    assert config.python == str(tmp_path / "python")
    config = begun("--compiler", "numpy", "--python", sys.executable)
    assert config.python == sys.executable
    settle(folder, '[python]\nnumpy = "absent/python"\n')
    output = polyjuice("doctor", "numpy", cwd=folder).stdout
    assert f"settings       {tmp_path / 'polyjuice.toml'}" in output
    assert f"there is no Python interpreter at {tmp_path / 'absent/python'}" in output


def test_a_compiler_with_an_interpreter_counts_as_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyjuice.compilers.is_installed", lambda name: name == "numpy")
    settle(folder, '[python]\ntvm = "/opt/tvm/bin/python"\n')
    assert "--compiler: numpy, tvm (not installed: " in refusal(cwd=folder)
    assert "Installed here: tvm.\n" in polyjuice(cwd=folder).stdout


def test_a_campaign_that_is_continued_keeps_its_options(
    folder: Path, stored: Config, begun: Callable[..., Config]
) -> None:
    settle(folder, 'compiler = "inductor"\nn = 50\nworkers = 2\nknown = "absent.toml"\n')
    assert begun("--resume", "c") == stored
    assert begun("--resume", "c", "-n", 3).cases == 3


def test_other_commands_take_what_they_share_with_fuzz(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(folder, 'rules = ["ours.egg"]\nknown = "bugs.toml"\n')
    assert "--x = x" in polyjuice("rules", "show", "mine", cwd=folder).stdout
    files = []
    monkeypatch.setattr(known_list, "load_known_bugs", lambda names: files.extend(names) or ())
    assert polyjuice("known", "list", cwd=folder).returncode == 0
    assert files == [str(folder.parent / "bugs.toml"), "shipped"]
    for value, written in (("bugs.toml", "bugs.toml"), ("none", "known.toml")):
        assert Settings(values={"known": value}).own_known == Path(written)


def shown(folder: Path, *arguments: str) -> dict[str, tuple[Any, str]]:
    done = polyjuice(*arguments, "config", "show", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return {row["key"]: (row["value"], row["from"]) for row in json.loads(done.stdout)["config"]}


def test_config_show_says_where_each_value_comes_from(folder: Path) -> None:
    path = settle(folder, 'compiler = "numpy"\noracle = ["crash", "alias"]\n[python]\ntvm = "/opt/python"\n')
    rows = shown(folder)
    assert rows["compiler"] == ("numpy", str(path))
    assert rows["oracle"] == ("crash,alias", str(path))
    assert rows["python.tvm"] == ("/opt/python", str(path))
    assert rows["python"] == (sys.executable, "default")
    assert rows["extract"] == ("targets", "default")
    assert rows["time"] == ("10m without -n", "default")
    assert set(rows) > {"n", "rules", "known", "triage", "workers", "seeds"}
    assert not {"out", "resume", "json", "help", "help-all"} & set(rows)
    done = polyjuice("config", "show", cwd=folder)
    assert [line for line in done.stdout.splitlines() if line.split() == ["compiler", "numpy", str(path)]]


def test_another_file_or_none_can_be_named(folder: Path) -> None:
    settle(folder, "seed = 1\n")
    (folder / "ci.toml").write_text("seed = 2\n")
    assert shown(folder)["seed"][0] == 1
    assert shown(folder, "--config", "ci.toml")["seed"] == (2, "ci.toml")
    assert shown(folder, "--config", "none")["seed"] == (0, "default")
    assert "No polyjuice.toml is in " in polyjuice("--config", "none", "config", "show", cwd=folder).stdout
    assert "absent.toml: there is no such file" in refusal("absent.toml", "fuzz", command="--config", cwd=folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('compilr = "numpy"', "no setting has the name compilr; did you mean compiler?"),
        ('out = "x"', "no setting has the name out; there are cluster, compiler, "),
        ("time = 5", "time = 5: give a number and a unit"),
        ('triage = "5"', "triage = 5: give a number and a unit"),
        ('oracle = ["crash", "delphi"]', "oracle = crash,delphi: choose from metamorphic, "),
        ('profile = "odd"', "profile = odd: choose from exact, "),
        ('compiler = "gcc"', "compiler = gcc: choose from eager, "),
        ('n = "x"', "'-n': Input should be a valid integer"),
        ("nodes = 0", "'--nodes': Input should be greater than or equal to 1"),
        ('extract = "z"', "'z' is not one of 'targets'"),
        ("n = [1]", "n takes one value, not a list"),
        ("n = true", "n takes a text or a number"),
        ("seeds = [[1]]", "seeds takes a text or a number"),
        ('python = "x"', "python must be a table: [python], then a line such as"),
        ('[python]\ntorch = "x"', "[python] torch: no compiler has this name"),
        ("x = = 2", "is not TOML: Invalid value (at line 1, column 5)"),
    ],
)
def test_a_mistake_in_the_file_is_one_line_that_names_it(folder: Path, text: str, words: str) -> None:
    path = settle(folder, text)
    message = refusal("--oracle", "crash", cwd=folder)
    assert message.startswith(f"{path}")
    assert words in message
