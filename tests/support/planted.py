"""Findings of planted faults on their demonstrations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from polyjuice import pipeline
from polyjuice.compilers import find
from polyjuice.execution import LoweringChoices
from polyjuice.ir import Graph
from polyjuice.oracles import Case, InputSet
from polyjuice.session import CompilerSession, Conditions
from polyjuice.triage import write_finding
from tests.support.compilers import usable
from tests.support.mutants import SITE, demos


def stored(
    folder: Path,
    compiler: str,
    graph: Graph,
    inputs: Sequence[np.ndarray],
    oracle: str = "differential",
) -> Path:
    """Store the finding of an oracle on a graph, lowered plainly."""
    info, conditions = find(compiler), Conditions(timeout_s=120)
    artifact = pipeline.lower(graph, LoweringChoices(), pipeline.target_of(info))
    with CompilerSession(conditions, info) as session:
        sets = [InputSet(profile="exact", arrays=tuple(inputs))]
        program = pipeline.prepare("original", graph, artifact, sets)
        case = pipeline.execute(Case(sets=sets, programs=[program]), session)
        (verdict, *_) = pipeline.judge(case, session, [oracle])
        write_finding(folder, session, case, verdict)
    return folder


def planted(folder: Path, fault: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The finding of a planted fault on its demonstration. The fault stays planted."""
    compiler, name = fault.split("/")
    usable(compiler)
    monkeypatch.setenv("PYTHONPATH", str(SITE))
    monkeypatch.setenv("POLYJUICE_MUTANT", fault)
    graph, inputs = demos(compiler).DEMOS[name]()
    return stored(folder, compiler, graph, inputs)
