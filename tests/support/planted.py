"""Findings that planted faults make of their demonstrations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from polyjuice.compilers import find
from polyjuice.ir import Graph
from polyjuice.lower import UNKNOWN_SIZES
from polyjuice.numerics import Analyses
from polyjuice.oracles import ORACLES, Case, Spelling, Tested
from polyjuice.session import CompilerSession, Conditions
from polyjuice.triage import Circumstances, write_finding
from polyjuice.triage.spelling import spelled
from tests.support.mutants import SITE, demos, usable


def stored(
    folder: Path,
    compiler: str,
    graph: Graph,
    inputs: Sequence[np.ndarray],
) -> Path:
    """The finding that the differential oracle makes of a graph in its plain spelling."""
    info, conditions = find(compiler), Conditions(timeout_s=120)
    spellings = (Spelling(str(i), {}, UNKNOWN_SIZES, avoided=["forms"]) for i in range(200))
    lowered = ((spelling, spelled(graph, spelling, info, conditions.opset)) for spelling in spellings)
    spelling, artifact = next((spelling, artifact) for spelling, artifact in lowered if not artifact.idioms)
    with CompilerSession(conditions, info) as session:
        outcome = session.execute(artifact, [inputs])
        analyses = Analyses(graph, [inputs])
        tested = Tested("original", graph, artifact, analyses, outcome, spelling)
        case = Case(["exact"], [inputs], [tested])
        (verdict, *_) = ORACLES["differential"].judge(case, session)
        write_finding(folder, Circumstances(info, session.versions, conditions, 0, 0, []), case, verdict)
    return folder


def planted(folder: Path, fault: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The finding that a planted fault makes of its demonstration, with the fault left planted."""
    compiler, name = fault.split("/")
    usable(compiler)
    monkeypatch.setenv("PYTHONPATH", str(SITE))
    monkeypatch.setenv("POLYJUICE_MUTANT", fault)
    graph, inputs = demos(compiler).DEMOS[name]()
    return stored(folder, compiler, graph, inputs)
