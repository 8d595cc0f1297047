"""Exported Torch programs with dynamic dimensions, at the sizes of their example and at others."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from polyjuice.campaign.seeds import Seeds
from polyjuice.frameworks import callables
from polyjuice.frameworks.user_model import UserModel
from tests.support.commands import fuzz
from tests.support.libraries import library

torch = library("torch")
modules = library("tests.support.torch_modules")
printer = library("polyjuice.frameworks.torch.user_printer")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exported") / "p.pt2"
    rows = torch.export.Dim("rows", min=2, max=20)
    x, y = torch.arange(12.0).view(3, 4), torch.arange(24.0).view(6, 4)
    dynamic = {"x": {0: rows}, "y": {0: 2 * rows}}
    torch.export.save(torch.export.export(modules.Grouped().eval(), (x,), {"y": y}, dynamic_shapes=dynamic), path)
    return path


@pytest.fixture(scope="module")
def programs(path: Path) -> Sequence[UserModel]:
    return callables.at_sizes(str(path), "0")


def test_a_program_has_its_examples_sizes_and_others_in_range(path: Path, programs: Sequence[UserModel]) -> None:
    """One source serves all sizes, and the compiler does not know any of them."""
    first, *others = programs
    assert first.sizes == {"x[0]": 3}
    assert len(others) == 3
    assert {2 <= one.sizes["x[0]"] <= 20 for one in others} == {True}
    assert len({one.sizes["x[0]"] for one in (first, *others)}) == 4
    module = torch.export.load(str(path)).module()
    for program in (first, *others):
        rows = program.sizes["x[0]"]
        assert [t.shape for t in program.graph.input_types] == [(rows, 4), (2 * rows, 4)]
        assert program.artifact
        assert program.artifact.setup == {"dynamic": True}
        assert program.artifact.idioms == ("as given", f"x[0] = {rows}")
        assert program.examples
        np.testing.assert_array_equal(
            program.examples[0], np.arange(12, dtype=np.float32).reshape(3, 4)[np.arange(rows) % 3]
        )
        assert program.artifact.source == (first.artifact and first.artifact.source)
        assert "x.size(0)" in str(program.artifact.source)
        assert "3, 2, 3" not in str(program.artifact.source)
        x, y = map(printer.tensor_of, program.examples)
        for found, wanted in zip(printer.run(program.artifact, [x, y]), module(x, y=y), strict=True):
            torch.testing.assert_close(found, wanted, rtol=0, atol=0)


def test_a_program_of_static_sizes_is_one(tmp_path: Path) -> None:
    torch.export.save(torch.export.export(torch.nn.ReLU(), (torch.ones(2),)), tmp_path / "p.pt2")
    (program,) = callables.at_sizes(str(tmp_path / "p.pt2"), "0")
    assert program.sizes == {}
    assert program.artifact
    assert program.artifact.setup == {}


@pytest.mark.usefixtures("in_process")
def test_all_sizes_are_kept_in_the_campaign(tmp_path: Path, path: Path) -> None:
    copy = shutil.copy(path, tmp_path)
    first = Seeds([str(copy)], 10, 1)
    first.keep(tmp_path)
    Path(copy).unlink()
    again = Seeds([str(copy)], 10, 1, tmp_path)
    for index in range(5):
        a, b = first.program(index), again.program(index)
        assert a
        assert b
        assert a.artifact
        assert b.artifact
        assert (a.sizes, a.artifact.source, str(a.graph)) == (b.sizes, b.artifact.source, str(b.graph))
        assert a.artifact.setup == b.artifact.setup == {"dynamic": True}


@pytest.mark.long
def test_a_campaign_tests_them_in_turn(tmp_path: Path, path: Path) -> None:
    how = ("--extract", "original", "--oracle", "differential,crash")
    status, summary = fuzz(tmp_path / "c", "--compiler", "eager", "--seeds", path, "-n", 4, *how)
    assert (status, summary["tested"], len(summary["sizes"])) == (0, 4, 4)
