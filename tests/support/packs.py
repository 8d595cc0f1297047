"""Cases of small Torch programs, and compilers that run them uncompiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from polyjuice import packs, pipeline
from polyjuice.compilers import find
from polyjuice.frameworks.lowering import CoverageTarget
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs, settle
from polyjuice.ir import Graph
from polyjuice.numerics import Mode
from polyjuice.oracles import Case, InputSet
from polyjuice.pipeline import Target
from polyjuice.session import CompilerSession, Conditions
from tests.support.frameworks import on_usual_types


def graphs(count: int) -> list[Graph]:
    return [settle(generate(3, f"pack {i}", on_usual_types, strategy="small"), str(i)) for i in range(count)]


def cases(count: int, labels: Sequence[str] = ("original",), sets: Callable[[int], int] = lambda i: 2) -> list[Case]:
    """Cases whose only variant is one graph. Each has sets of inputs of its own."""
    found = []
    for i, graph in enumerate(graphs(count)):
        inputs = [
            InputSet(profile="normal", arrays=tuple(make_inputs(graph, "normal", f"{i} {n}")), mode=Mode())
            for n in range(sets(i))
        ]
        artifact = pipeline.lower(graph, f"{i}", Target(format="torch"), wanted=CoverageTarget(setting="plain"))
        programs = [pipeline.prepare(label, graph, artifact, inputs) for label in labels]
        found.append(Case(sets=inputs, programs=programs, index=i))
    return found


class Eager(CompilerSession):
    def __init__(self) -> None:
        super().__init__(Conditions(), find("eager"))


def holds(arrays: Sequence[np.ndarray], case: Case) -> bool:
    """Whether a pack with these inputs holds a program of the case."""
    own = case.inputs[0]
    return bool(own) and any(array is own[0] for array in arrays)


def numbers(pack: packs.Pack) -> list[int]:
    return [member.case.index for member in pack.members]
