"""The whole line of Polyjuice, from a graph to a verdict. Read this file first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyjuice import oracles
from polyjuice.compilers import find
from polyjuice.egraph import Rewriter, load, operator_count
from polyjuice.inputs import make_inputs
from polyjuice.ir import TensorType, digest
from polyjuice.lower import lower
from polyjuice.numerics import analyse
from polyjuice.ops import GraphBuilder
from polyjuice.session import CompilerSession, Conditions

pytest.importorskip("torch")


def test_from_a_graph_to_a_verdict() -> None:
    # A seed graph: z = relu(x + y) transposed.
    build = GraphBuilder()
    x = build.input(TensorType("float32", (3, 4)))
    y = build.input(TensorType("float32", (1, 4)))
    seed = build.build([build.op("Transpose", build.op("Relu", build.op("Add", x, y)), perm=(1, 0))])

    # Equality saturation gives graphs that compute the same with the fewest and with the most operators.
    rules = load(only=["add-commutative", "relu-transposed", "transpose-*"])
    low, high = Rewriter(rules).rewrite(seed, seed=0).variants
    assert low.operators <= operator_count(seed) < high.operators
    assert digest(low.graph) != digest(high.graph)

    # The same compiler runs both, in a process of its own, on the same inputs.
    inputs = make_inputs(seed, "exact", seed=0)
    tested = []
    with CompilerSession(Conditions(), find("eager")) as session:
        for variant in (low, high):
            model = lower(variant.graph, "torch", 0)
            outcome = session.execute(model, [inputs])
            tested.append(
                oracles.Tested(variant.label, variant.graph, model, [analyse(variant.graph, inputs)], outcome)
            )

    # They agree, so the oracle has nothing to say ...
    oracle = oracles.ORACLES["metamorphic"]
    assert oracle.judge(oracles.Case(["exact"], [inputs], tested), session) == []

    # ... but had the compiler got one element wrong, it would have named the side that is wrong.
    right, (high_result,) = tested[0], tested[1].outcome.outputs[0]
    high_result = high_result.copy()
    high_result[2, 1] += 1
    wrong = replace(tested[1], outcome=replace(tested[1].outcome, outputs=((high_result,),)))
    (verdict,) = oracle.judge(oracles.Case(["exact"], [inputs], [right, wrong]), session)
    assert (verdict.kind, verdict.rung, verdict.culprit) == ("mismatch", "exact", "max")
    assert "at [2, 1]" in verdict.message
