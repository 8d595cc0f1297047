"""The tables of programs that frameworks do not run, and of operators that need not run again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyjuice import ops
from polyjuice.frameworks.lowering import Unlowerable
from tests.support import unchanged
from tests.support.unchanged import Unchanged
from tests.support.unsupported import (
    FILE,
    Holes,
    Unsupported,
    differences,
    is_fault,
    operators,
    parse,
    read,
    reason,
    render,
)

KERNEL: Holes = frozenset([("never", "no kernel")])


def test_the_committed_table_is_as_it_is_written_and_names_operators_that_exist() -> None:
    assert render(read()) == FILE.read_text()
    assert all(name in operators(dtype) for _, name, dtype in read())


def test_a_table_is_read_as_it_was_written() -> None:
    table = {
        ("torch", "Abs", "int8"): KERNEL,
        ("torch", "Abs", "uint8"): KERNEL,
        ("torch", "Neg", "int8"): frozenset([("partly", "no kernel"), ("partly", "a reason: of two parts")]),
    }
    text = render(table)
    assert parse(text) == table
    assert text.endswith(
        """
torch
  a reason: of two parts
    partly int8: Neg
  no kernel
    never int8 uint8: Abs
    partly int8: Neg
"""
    )


def test_a_row_too_few_and_a_row_too_many_are_named() -> None:
    cell = "torch", "Abs", "int8"
    assert differences({cell: KERNEL}, {cell: KERNEL}) == []
    assert differences({}, {cell: KERNEL}) == ["torch Abs int8 never runs, which the table lacks: no kernel"]
    assert differences({cell: KERNEL}, {cell: frozenset()}) == [
        "torch Abs int8 never runs, says the table, but no longer: no kernel"
    ]
    assert len(differences({cell: KERNEL}, {cell: frozenset([("partly", "no kernel")])})) == 2


def test_a_reason_has_nothing_that_varies() -> None:
    assert reason(RuntimeError("shape [2, -3] at 0x7f00: 1.5e-3 of float16\nmore"), "Abs") == (
        "RuntimeError: shape [N, N] at N: N of float16"
    )
    assert reason(Unlowerable("node y = Abs(x): Abs has no Torch text: it is rare"), "Abs") == (
        "cannot be said: it is rare"
    )
    error = NotImplementedError("NOT_IMPLEMENTED : Could not find an implementation for Abs(13) node with name ''")
    assert [reason(error, name) for name in ("Abs", "Relu")] == ["no kernel", "no kernel of Abs"]


def test_what_says_that_a_program_is_wrong_is_no_reason() -> None:
    table = Unsupported()
    cell = "onnx", "Det", "float64"
    lacking = RuntimeError("NOT_IMPLEMENTED : Could not find an implementation for Det(22) node with name ''")
    assert table.explains(lacking, [cell])
    assert not table.explains(lacking, [("onnx", "Det", "float32")])
    for kind in (AttributeError, NameError, SyntaxError, TypeError, AssertionError):
        assert is_fault(kind(str(lacking)))
        assert not table.explains(kind(str(lacking)), [cell])


SUITE = "torch limits"


def runs(table: Unchanged) -> set[str]:
    names = [name for name, module in unchanged._FAMILIES.items() if module == "elementwise"]
    return {name for name in names if pytest.mark.long not in table.marks(SUITE, name)}


def test_operators_run_until_all_of_their_module_have_passed_and_again_once_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Unchanged({})
    every = runs(table)
    for name in sorted(every)[1:]:
        table.passed(SUITE, name)
    assert json.loads(table.render()) == {}
    table.passed(SUITE, min(every))
    known = Unchanged(json.loads(table.render()))
    assert 0 < len(runs(known)) < len(every) / 4
    monkeypatch.setattr(unchanged, "digest", lambda module, framework: "another")
    assert runs(known) == every


def test_a_digest_covers_the_modules_that_an_entry_comes_from_and_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(ops.__file__).parent
    files = unchanged.sources(folder / "pooling.py")
    assert {folder / f"{name}.py" for name in ("pooling", "spec", "structural", "writes")} <= files
    assert folder / "control.py" not in files
    found = {unchanged.digest.__wrapped__("pooling", framework) for framework in unchanged.DISTRIBUTIONS}
    monkeypatch.setattr(unchanged.metadata, "version", lambda name: "99")
    found |= {unchanged.digest.__wrapped__("pooling", framework) for framework in ("torch", "jax")}
    assert len(found) == len(unchanged.DISTRIBUTIONS) + 2
