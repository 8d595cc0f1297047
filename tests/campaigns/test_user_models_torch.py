"""Torch modules, as Dynamo traces them, become source that stands alone."""

from __future__ import annotations

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
from polyjuice.inputs import GIVEN
from polyjuice.session import CompilerSession, Conditions
from tests.support.commands import findings, fuzz, record
from tests.support.compilers import usable
from tests.support.libraries import library
from tests.support.plugins import importing_from
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
    module = modules.Function(lambda x: (x.sum(dim=-1, keepdim=True), x.t()))
    torch.export.save(torch.export.export(module, (modules.X.t(),)), tmp_path / "sum.pt2")
    program = torch_program.load(str(tmp_path / "sum.pt2"))
    assert program.artifact
    assert isinstance(program.artifact.source, str)
    assert "keepdim" in program.artifact.source or "[-1], True" in program.artifact.source
    assert program.examples
    half = UserModel(
        graph=program.graph,
        artifact=printer.capture(module, (modules.X.t().to(torch.bfloat16),), {}),
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


@pytest.mark.parametrize(
    ("function", "reason"),
    [(lambda x: x + torch.rand(4), "random"), (lambda x: x if x.sum() > 0 else -x, None)],
    ids=["random numbers", "no single graph"],
)
def test_what_is_not_captured(function: Any, reason: str | None) -> None:
    with pytest.raises(printer.NotCaptured, match=reason):
        printer.capture(modules.Function(function), (modules.X,), {})


def test_in_float64_types_that_are_named_and_types_that_are_not_are_float64() -> None:
    def made(x: Any) -> Any:
        moved = x.half().float(memory_format=torch.preserve_format).to(torch.cfloat).real
        return moved / 3 + torch.arange(4, dtype=torch.float32) / 3, torch.full((2,), 0.1)

    wide = in_float64(printer.capture(modules.Function(made), (modules.X,), {}))
    assert wide
    with CompilerSession(Conditions(), find("eager")) as session:
        outcome = session.execute(wide, [(modules.X.double().numpy(),)])
    assert [str(y.dtype) for y in outcome.outputs[0]] == ["float64", "float64"]
    np.testing.assert_array_equal(outcome.outputs[0][0], modules.X.double().numpy() / 3 + np.arange(4) / 3)


def test_a_module_that_has_no_graph_takes_part_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Complex numbers are in the middle of the module. Its owner's inputs come last."""
    (tmp_path / "spectral.py").write_text(
        "import torch\n"
        "class Owned(torch.nn.Module):\n"
        "    def forward(self, x): return torch.fft.ifft(torch.fft.fft(x)).real\n"
        "def model(): return Owned(), (torch.arange(8.0),)\n"
    )
    monkeypatch.chdir(tmp_path)
    runner = Runner(Config(compiler="eager", seeds=("spectral:model",), cases=1), tmp_path, load(()))
    case, result, verdict = with_shifted_outputs(runner)
    assert [t.label for t in case.programs] == ["original"]
    assert case.profiles[-1] in GIVEN
    assert case.inputs[-1][0].tolist() == [*range(8)]
    assert (result.programs, result.pairs, result.findings, result.skipped) == (1, 0, [], "")
    assert "differs from its uncompiled run at 8 of 8 elements" in verdict.message


@pytest.mark.long
def test_strides_that_inductor_loses_are_found_with_the_usual_options(tmp_path: Path) -> None:
    """https://github.com/pytorch/pytorch/issues/198364: its program is the seed."""
    usable("inductor")
    (tmp_path / "mixed_layouts.py").write_text(
        "import torch\n"
        "class Owned(torch.nn.Module):\n"
        "    def forward(self, a, b): return torch.copysign(a, b)\n"
        "def model(): return Owned(), (torch.rand(6, 5).mT, torch.rand(5, 6) - 0.5)\n"
    )
    seeds = ("--seeds", "mixed_layouts:model", "-n", 1)
    status, summary = fuzz(tmp_path / "c", "--compiler", "inductor", *seeds, env=importing_from(tmp_path))
    assert (status, summary["by_kind"]) == (1, {"strides": 1})
    (finding,) = findings(tmp_path / "c")
    stored = record(finding)
    assert (stored["kind"], stored["repro_exit"]) == ("strides", 1), stored["printed"]
