"""Mistakes give exit status 2 and one line on standard error: the problem and its solution."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.commands import polyjuice, refusal


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


def test_an_operator_of_a_rule_that_there_is_not_is_named_with_those_like_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.egg"
    for text, hint in (("(Max x y)", "did you mean Max2"), ("(Rellu x)", "did you mean Relu")):
        path.write_text(f'(rewrite {text} x :ruleset exact :name "m")\n')
        message = refusal("--compiler", "numpy", "-n", 1, "--rules", path, cwd=tmp_path)
        assert f"{path}:1: rule 'm': Unbound function" in message
        assert hint in message


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
    """At any place: as the command begins, and in the loop of a campaign, which then keeps what it has."""

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
