"""The values of a campaign's cases: by default, some of them are likely to show a fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Artifact
from polyjuice.frameworks.lowering import lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import Case
from polyjuice.session import CompilerSession, Conditions

CASES = 8


def product(dtype: str) -> Graph:
    build = GraphBuilder()
    x, y = (build.input(TensorType(dtype, (6,))) for _ in range(2))
    return build.build([build.op("Cast", build.op("Mul", x, y), to="int32")])


def prepared(graph: Graph, folder: Path) -> list[Case]:
    """Some cases of a campaign on one seed graph."""
    graph_files.save(graph, folder / "seed.onnx")
    runner = Runner(Config(compiler="numpy", seeds=(str(folder / "seed.onnx"),)), folder, load(only=["mul-*"]))
    try:
        return [runner.execute(index) for index in range(CASES)]
    finally:
        runner.close()


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_products_of_small_integers_wrap_around_in_some_cases(dtype: str, tmp_path: Path) -> None:
    limits = np.iinfo(dtype)
    around = within = 0
    for case in prepared(product(dtype), tmp_path):
        for profile, (x, y) in zip(case.profiles, case.inputs, strict=True):
            whole = x.astype(int) * y.astype(int)
            fits = bool(((whole >= limits.min) & (whole <= limits.max)).all())
            around += profile == "wrap" and not fits
            within += profile == "exact" and fits and bool((np.abs(whole) > 36).any())
    assert around > CASES / 8
    assert within > CASES / 8, "the exact ones are as large as the product allows"


def test_the_numpy_control_takes_symbolic_sizes() -> None:
    graph = product("int8")
    artifact = lower(graph, "onnx", 0, unknown_sizes=1.0, lacks=("functions", "constant nodes"))
    assert "symbolic" in " ".join(artifact.idioms)
    x, y = np.array([1, -2, 3, 4, 5, 6], np.int8), np.array([3, 3, 3, 3, 3, 3], np.int8)
    with CompilerSession(Conditions(), find("numpy")) as session:
        outcome = session.execute(
            Artifact(format=artifact.format, source=artifact.source, arrays=artifact.arrays), [[x, y]]
        )
    assert outcome.outputs[0][0].tolist() == [3, -6, 9, 12, 15, 18]
