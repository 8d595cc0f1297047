"""Torch modules, as Dynamo traces them, become source that stands alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.precision import in_float64
from polyjuice.frameworks.user_model import UserModel
from polyjuice.inputs import GIVEN, joined
from polyjuice.session import CompilerSession, Conditions
from tests.support.commands import ONE_RULE, polyjuice
from tests.support.libraries import library
from tests.support.plugins import plugin
from tests.support.sessions import with_shifted_outputs

torch = library("torch")
modules = library("tests.support.torch_modules")
printer = library("polyjuice.frameworks.torch.user_printer")
torch_program = library("polyjuice.frameworks.torch.user_program")

pytestmark = pytest.mark.usefixtures("in_process")


def test_the_source_says_what_the_owner_wrote() -> None:
    artifact = printer.capture(modules.Everything(), (modules.X,), {"scale": torch.full((3,), 0.5)})
    assert isinstance(artifact.source, str)
    *_, forward = artifact.source.partition("def forward")
    for written in (
        "(self, x, scale, count):",
        "torch._C._nn.linear(x, self.w_linear_weight, self.w_linear_bias)",
        ".view(-1, 3)",
        ".max(dim=1, keepdim=True)",
        ".add_(1.0)",
        "torch.arange(3, dtype=torch.float32)",
        "count += 1",
        "torch.full((2,), float('inf'))",
    ):
        assert written in forward
    assert {line for line in artifact.source.splitlines() if "import" in line} == {"import torch"}


def test_the_source_is_a_program_of_the_graphs_inputs_and_outputs_that_runs_again_and_again() -> None:
    """If a run writes to a buffer, the next run starts with the buffer's first value."""
    model = modules.Everything().eval()
    program = torch_program.from_module(model, (modules.X,), {"scale": torch.full((3,), 0.5)})
    assert program.artifact
    wanted = [y.detach().numpy() for y in printer.run(program.artifact, [modules.X.clone(), torch.full((3,), 0.5)])]
    with CompilerSession(Conditions(), find("eager")) as session:
        outcome = session.execute(program.artifact, [(modules.X.numpy(), np.full(3, 0.5, np.float32))] * 2)
    assert outcome.status == "ok", outcome.message
    assert [y.shape for y in wanted] == [t.shape for t in program.graph.output_types]
    for found in outcome.outputs:
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a, b)


def test_an_exported_program_and_a_transposed_input_are_kept_as_they_are(tmp_path: Path) -> None:
    class Sum(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.sum(dim=-1, keepdim=True), x.t()

    torch.export.save(torch.export.export(Sum(), (modules.X.t(),)), tmp_path / "sum.pt2")
    program = torch_program.load(str(tmp_path / "sum.pt2"))
    assert program.artifact
    assert isinstance(program.artifact.source, str)
    assert "keepdim" in program.artifact.source or "[-1], True" in program.artifact.source
    assert program.examples
    half = UserModel(
        graph=program.graph,
        artifact=printer.capture(Sum(), (modules.X.t().to(torch.bfloat16),), {}),
        examples=program.examples,
    )
    assert half.artifact
    assert half.artifact.setup == {"layouts": ["transposed"]}
    files.save(tmp_path / "kept", "0", [half])
    (kept,) = files.load(tmp_path / "kept", "0")
    assert kept
    assert kept.artifact == half.artifact
    assert kept.examples
    np.testing.assert_array_equal(kept.examples[0], modules.X.t().numpy())


def test_what_draws_random_numbers_is_not_captured() -> None:
    class Noise(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x + torch.rand(4)

    with pytest.raises(printer.NotCaptured, match="random"):
        printer.capture(Noise(), (modules.X,), {})


def test_in_float64_types_that_are_named_and_types_that_are_not_are_float64() -> None:
    class Made(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            moved = x.half().float(memory_format=torch.preserve_format).to(torch.cfloat).real
            return moved / 3 + torch.arange(4, dtype=torch.float32) / 3, torch.full((2,), 0.1)

    wide = in_float64(printer.capture(Made(), (modules.X,), {}))
    assert wide
    with CompilerSession(Conditions(), find("eager")) as session:
        outcome = session.execute(wide, [(modules.X.double().numpy(),)])
    assert [str(y.dtype) for y in outcome.outputs[0]] == ["float64", "float64"]
    np.testing.assert_array_equal(outcome.outputs[0][0], modules.X.double().numpy() / 3 + np.arange(4) / 3)


def test_what_has_no_single_graph_is_not_captured() -> None:
    class Control(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x if x.sum() > 0 else -x

    with pytest.raises(printer.NotCaptured):
        printer.capture(Control(), (modules.X,), {})


def ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, forward: str, inputs: str) -> Runner:
    """A runner of cases of one module, without a compiler."""
    (tmp_path / f"{name}.py").write_text(
        "import torch\n"
        "class Owned(torch.nn.Module):\n"
        f"    def forward(self, {forward}\n"
        f"def model(): return Owned(), ({inputs},)\n"
    )
    monkeypatch.chdir(tmp_path)
    return Runner(Config(compiler="eager", seeds=(f"{name}:model",), cases=1), tmp_path, load(()))


@pytest.mark.long
def test_the_owners_inputs_are_a_further_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module may refuse drawn inputs. It still runs on its owner's."""
    own = "torch.full((3, 2), 500.0), torch.tensor([2, 0])"
    runner = ready(tmp_path, monkeypatch, "rows", "x, rows): return x[rows] + 1", own)
    try:
        case = runner.execute(0)
    finally:
        runner.close()
    assert case.profiles[-1] in GIVEN
    assert [x.tolist() for x in case.inputs[-1]] == [[[500.0] * 2] * 3, [2, 0]]
    assert case.of("original").outcome.outputs[-1][0].tolist() == [[501.0] * 2] * 2
    assert joined({"x": (-1.0, 1.0), "y": (0.0, 1.0)}, {"x": (0.0, 500.0)}) == {"x": (-1.0, 500.0)}


def test_a_module_that_has_no_graph_takes_part_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Complex numbers are in the middle of the module; its inputs and outputs are real."""
    forward = "x): return torch.fft.ifft(torch.fft.fft(x)).real"
    runner = ready(tmp_path, monkeypatch, "spectral", forward, "torch.arange(8.0)")
    case, result, verdict = with_shifted_outputs(runner)
    assert [t.label for t in case.programs] == ["original"]
    assert (result.pairs, result.findings, result.skipped) == (1, [], "")
    assert "differs from its uncompiled run at 8 of 8 elements" in verdict.message


# --- findings ---------------------------------------------------------------------------------------------------------

TORCH_INFO = {
    "format": "torch",
    "needs": "a test",
    "repro_imports": """
import torch
import torch.nn.functional as F
""",
    "repro": """
def prepare(model, inputs, **options):
    wrong = "linear" in model.forward.__code__.co_names and "_C" in model.forward.__code__.co_names
    return lambda: [y + wrong for y in model(*inputs)]
""",
}

TORCH = """
import torch
from polyjuice.compilers import _torch, eager as control
from polyjuice.compilers.eager import *


def run(program, inputs):
    names = program.model.forward.__code__.co_names
    wrong = "linear" in names and "_C" in names
    return [_torch.to_array(y + wrong) for y in program.model(*_torch._arguments(program, inputs))]
"""
"""A compiler that adds one to all results of a program that calls linear by a name that no lowering uses."""


OWNERS = """
import torch

def model():
    return torch.nn.Linear(4, 3), (torch.ones(2, 4),)
"""


@pytest.mark.long
def test_a_fault_of_the_users_module_has_a_reproducer(tmp_path: Path) -> None:
    env = plugin(tmp_path / "site", base=TORCH, info=TORCH_INFO, name="spoiled")
    (tmp_path / "mine.py").write_text(OWNERS)
    seeds = ["--seeds", "mine:model", "-n", 1, "--workers", 1, "--triage", "0s", *ONE_RULE]
    done = polyjuice("fuzz", "--compiler", "spoiled", *seeds, "--out", tmp_path / "c", env=env, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (finding,) = (tmp_path / "c/findings").iterdir()
    stored = json.loads((finding / "finding.json").read_text())
    assert (stored["a"], stored["culprit"], stored["repro_exit"]) == ("original", "original", 1)
    assert "= torch._C._nn.linear(" in (finding / "repro.py").read_text()
    assert polyjuice("replay", finding, env=env).returncode == 1
