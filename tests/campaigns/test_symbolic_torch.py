"""Exported Torch programs with dynamic dimensions, at the sizes of their example and at others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyjuice.campaign.seeds import Seeds
from polyjuice.frameworks import callables
from tests.support.commands import fuzz
from tests.support.libraries import library

torch = library("torch")
modules = library("tests.support.torch_modules")
printer = library("polyjuice.frameworks.torch.user_printer")


def exported(path: Path) -> Path:
    rows = torch.export.Dim("rows", min=2, max=20)
    x, y = torch.arange(12.0).view(3, 4), torch.arange(24.0).view(6, 4)
    dynamic = {"x": {0: rows}, "y": {0: 2 * rows}}
    torch.export.save(torch.export.export(modules.Grouped().eval(), (x,), {"y": y}, dynamic_shapes=dynamic), path)
    return path


def test_a_program_has_its_examples_sizes_and_others_in_range(tmp_path: Path) -> None:
    path = exported(tmp_path / "p.pt2")
    first, *others = callables.at_sizes(str(path), "0")
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
        x, y = map(printer.tensor_of, program.examples)
        for found, wanted in zip(printer.run(program.artifact, [x, y]), module(x, y=y), strict=True):
            torch.testing.assert_close(found, wanted, rtol=0, atol=0)


def test_the_source_reads_open_sizes_off_its_inputs(tmp_path: Path) -> None:
    """One program serves all sizes, and the compiler does not know any of them."""
    sources = {
        str(p.artifact and p.artifact.source) for p in callables.at_sizes(str(exported(tmp_path / "p.pt2")), "0")
    }
    (source,) = sources
    assert "x.size(0)" in source
    assert "3, 2, 3" not in source


def test_a_program_of_static_sizes_is_one(tmp_path: Path) -> None:
    torch.export.save(torch.export.export(torch.nn.ReLU(), (torch.ones(2),)), tmp_path / "p.pt2")
    (program,) = callables.at_sizes(str(tmp_path / "p.pt2"), "0")
    assert program.sizes == {}
    assert program.artifact
    assert program.artifact.setup == {}


def test_all_sizes_are_kept_in_the_campaign(tmp_path: Path) -> None:
    path = str(exported(tmp_path / "p.pt2"))
    first = Seeds([path], 10, 1)
    first.keep(tmp_path)
    Path(path).unlink()
    again = Seeds([path], 10, 1, tmp_path)
    for index in range(5):
        a, b = first.program(index), again.program(index)
        assert a
        assert b
        assert a.artifact
        assert b.artifact
        assert (a.sizes, a.artifact.source, str(a.graph)) == (b.sizes, b.artifact.source, str(b.graph))
        assert a.artifact.setup == b.artifact.setup == {"dynamic": True}


@pytest.mark.long
def test_a_campaign_tests_them_in_turn(tmp_path: Path) -> None:
    status, summary = fuzz(
        tmp_path / "c",
        "--compiler",
        "eager",
        "--seeds",
        exported(tmp_path / "p.pt2"),
        "-n",
        4,
        "--extract",
        "original",
        "--oracle",
        "differential,crash",
    )
    assert (status, summary["tested"], len(summary["sizes"])) == (0, 4, 4)
