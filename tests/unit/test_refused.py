"""If a compiler refuses a program, the case tries the plain lowering before another seed graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Preparation
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome
from polyjuice.frameworks.forms import MODEL
from polyjuice.frameworks.lowering import opset_of
from polyjuice.frameworks.onnx.model import without_forms
from polyjuice.oracles import Case
from polyjuice.session import CompilerSession, Conditions

CASES = 12


class Refusing(CompilerSession):
    """The NumPy control, which refuses some programs. ``asked`` lists all programs that it received, in order."""

    def __init__(self, *, all: bool = False) -> None:
        super().__init__(Conditions(), find("numpy"))
        self.asked: list[Artifact] = []
        self._all = all

    def execute(self, artifact: Artifact, inputs: Any, **options: Any) -> Outcome:
        self.asked.append(artifact)
        if self._all or not is_plain(artifact):
            return Outcome(status="unsupported", stage="compile", message="NotImplementedError: no kernel")
        return super().execute(artifact, inputs, **options)


def is_plain(artifact: Artifact) -> bool:
    """Whether the lowering chose no form and no opset. Graphs with newer element types have a newer opset anyway."""
    choices = artifact.choices
    return choices is not None and without_forms(choices, 0) == choices


def attempts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The prepared seed graphs: the index of the case, and the number of the attempt."""
    made: list[tuple[int, int]] = []
    prepare = Preparation.case

    def noted(preparation: Preparation, index: int, attempt: int) -> Case:
        made.append((index, attempt))
        return prepare(preparation, index, attempt)

    monkeypatch.setattr(Preparation, "case", noted)
    return made


def run(session: Refusing, folder: Path, indices: Sequence[int], **options: Any) -> list[str]:
    """For each case, the reason for skipping it, or ""."""
    runner = Runner(Config(compiler="numpy", nodes=5, **options), folder, load(only=["add-*"]), session)
    try:
        results = list(runner.run(indices))
    finally:
        runner.close()
    assert not [result.defect for result in results if result.defect]
    return [result.skipped for result in results]


def test_a_refused_program_is_written_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, made = Refusing(), attempts(monkeypatch)
    skipped = run(session, tmp_path, range(CASES))
    refused = [artifact for artifact in session.asked if not is_plain(artifact)]
    assert len(refused) > CASES / 2
    tried = [index for index, attempt in made if not attempt]
    assert tried == list(range(CASES))
    assert not [why for why in skipped if "no kernel" in why]


def test_what_is_refused_plainly_too_gives_way_to_another_seed_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, made = Refusing(all=True), attempts(monkeypatch)
    (skipped,) = run(session, tmp_path, [1])
    assert skipped == "unsupported: NotImplementedError: no kernel"
    assert [attempt for _, attempt in made] == [0, 1, 2, 3, 4]
    assert len(session.asked) <= 2 * len(made), "one program of each refused case, and of each written plainly"


def test_an_opset_that_the_user_named_stays(tmp_path: Path) -> None:
    session = Refusing(all=True)
    run(session, tmp_path, range(6), opset=13)
    opsets = {form for artifact in session.asked for form in artifact.forms if opset_of(form)}
    assert (MODEL, "opset 13") in opsets
    assert any(set(artifact.forms) == {(MODEL, "opset 13")} for artifact in session.asked)
