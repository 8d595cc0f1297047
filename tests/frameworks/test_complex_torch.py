"""Complex programs on Inductor: conjugates and parts, through views and a write, have the interpreter's values."""

from __future__ import annotations

import pytest

from polyjuice import compilers
from polyjuice.inputs import make_inputs
from polyjuice.ir import TensorType
from polyjuice.numerics import analyse, distance
from polyjuice.ops import GraphBuilder
from tests.support.libraries import library
from tests.support.shares import in_the_long_run

torch = library("torch")


@pytest.mark.parametrize("compiled", [False, *in_the_long_run(True)])
def test_conjugates_and_parts_have_their_values(compiled: bool) -> None:
    from polyjuice.compilers import _torch
    from polyjuice.pipeline import lower, target_of

    build = GraphBuilder()
    z, x = build.input(TensorType("complex64", (3, 4))), build.input(TensorType("float32", (3, 4)))
    conj = build.op("conj", z, domain="aten")
    product = build.op("mul.complex", conj, build.op("complex", x, x, domain="aten"), domain="aten")
    moved = build.op("Transpose", product, perm=(1, 0))
    graph = build.build([conj, build.op("imag", conj, domain="aten"), moved, build.op("abs.complex", z, domain="aten")])
    inputs = make_inputs(graph, "normal", 0)
    artifact = lower(graph, "k", target_of(compilers.find("eager"), 0))
    assert isinstance(artifact.source, str)
    names: dict[str, object] = {}
    exec(artifact.source, names)
    model = names["Model"]({})  # type: ignore[operator]
    run = torch.compile(model) if compiled else model
    with torch.no_grad():
        outputs = [_torch.to_array(y)[1] for y in run(*map(torch.from_numpy, inputs))]
    for made, analysis in zip(outputs, analyse(graph, inputs), strict=True):
        assert (distance(made, analysis.reference) <= 2 * analysis.bound).all()
