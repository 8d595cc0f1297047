"""The whole pipeline of Polyjuice, from a graph to a verdict. Read this file first."""

from __future__ import annotations

from dataclasses import replace

from polyjuice import pipeline
from polyjuice.compilers import find
from polyjuice.egraph import Rewriter, load, operator_count
from polyjuice.execution import LoweringChoices
from polyjuice.inputs import make_inputs
from polyjuice.ir import TensorType, digest
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import Case
from polyjuice.session import CompilerSession, Conditions
from tests.support.libraries import needs

needs("torch")


def test_from_a_graph_to_a_verdict() -> None:
    # A seed graph: z = relu(x + y) transposed.
    build = GraphBuilder()
    x = build.input(TensorType("float32", (3, 4)))
    y = build.input(TensorType("float32", (1, 4)))
    seed = build.build([build.op("Transpose", build.op("Relu", build.op("Add", x, y)), perm=(1, 0))])

    # Equality saturation gives equivalent graphs with the fewest and the most operators.
    rules = load(only=["add-commutative", "relu-transposed", "transpose-*"])
    low, high = Rewriter(rules).rewrite(seed, seed=0).variants
    assert low.operators <= operator_count(seed) < high.operators
    assert digest(low.graph) != digest(high.graph)

    # The interpreter checks that they equal the seed, so no rule is trusted.
    compiler = find("eager")
    sets = [pipeline.input_set(seed, "exact", make_inputs(seed, "exact", seed=0), compiler)]
    assert pipeline.equivalent(seed, [low.graph, high.graph], sets) == ["", ""]

    # Both become programs. The same compiler runs both, in a process of its own, on the same inputs.
    programs = []
    for variant in (low, high):
        artifact = pipeline.lower(variant.graph, LoweringChoices(), pipeline.target_of(compiler))
        programs.append(pipeline.prepare(variant.label, variant.graph, artifact, sets))
    with CompilerSession(Conditions(), compiler) as session:
        case = pipeline.execute(Case(sets=sets, programs=programs), session)

        # They agree, so the oracle reports nothing ...
        assert pipeline.judge(case, session, ["metamorphic"]) == []

        # ... but had the compiler got one element wrong, the oracle would name the wrong side.
        right, wrong = case.programs
        (result,) = wrong.outcome.outputs[0]
        result = result.copy()
        result[2, 1] += 1
        wrong = replace(wrong, outcome=replace(wrong.outcome, outputs=((result,),)))
        (verdict,) = pipeline.judge(replace(case, programs=[right, wrong]), session, ["metamorphic"])
    assert (verdict.kind, verdict.comparison, verdict.culprit) == ("mismatch", "bitwise", "max")
    assert "at [2, 1]" in verdict.message
