"""Input profiles: their values, the facts that rules may assume, and the truth of what the analysis knows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import Budget, Rewriter, distinct, load
from polyjuice.egraph.encode import encode
from polyjuice.generate import generate
from polyjuice.inputs import (
    GIVEN,
    MODES,
    PROFILES,
    REAL_PROFILES,
    RULESETS,
    USUAL_PROFILES,
    Plan,
    allowed_rulesets,
    draw,
    judged_on_edge,
    make_inputs,
    plans,
    ranges,
)
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import analyse, apart, reproducible_outputs
from polyjuice.ops import GraphBuilder
from tests.support.bounds import assert_within


def inputs_of(*types: TensorType) -> Graph:
    """A graph that returns its inputs."""
    build = GraphBuilder()
    return build.build([build.op("Identity", build.input(t)) for t in types])


EVERY_TYPE = inputs_of(*(TensorType(dtype, (40,)) for dtype in dtypes.ALL))


@pytest.mark.parametrize("profile", PROFILES)
def test_inputs_depend_on_the_profile_and_the_seed_alone(profile: str) -> None:
    first, again, other = (make_inputs(EVERY_TYPE, profile, seed) for seed in ("1", "1", "2"))
    for a, b, t in zip(first, again, EVERY_TYPE.input_types, strict=True):
        assert dtypes.dtype_of(a) == t.dtype
        assert a.shape == t.shape
        assert a.tobytes() == b.tobytes()
    assert any(a.tobytes() != b.tobytes() for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("profiles", [(profile,) for profile in PROFILES] + [PROFILES])
def test_inputs_lie_in_their_ranges(profiles: tuple[str, ...], large: bool) -> None:
    known = ranges(EVERY_TYPE, profiles, large)
    for profile in profiles:
        for seed in range(10):
            inputs = make_inputs(EVERY_TYPE, profile, seed, large=large)
            for name, array in zip(EVERY_TYPE.inputs, inputs, strict=True):
                if name in known:
                    low, high = known[name]
                    assert low <= float(array.min()) <= float(array.max()) <= high
    has = {t.dtype: name in known for name, t in zip(EVERY_TYPE.inputs, EVERY_TYPE.input_types, strict=True)}
    assert all(has[dtype] for dtype in dtypes.INTS)
    assert all(has[dtype] == ("edge" not in profiles) for dtype in dtypes.FLOATS)
    assert not has["bool"]


def test_ranges_hold_the_values_of_all_profiles() -> None:
    wide = ranges(inputs_of(TensorType("int8", ()), TensorType("uint8", ())), ["exact", "wrap"])
    assert sorted(wide.values()) == [(-128.0, 127.0), (0.0, 255.0)]


def test_the_e_graph_takes_no_float_of_the_edge_profile_for_finite() -> None:
    graph = inputs_of(TensorType("float32", (2,)))
    stated = [
        {row.table for row in encode(graph, ranges=ranges(graph, p)).rows} for p in (["wrap"], ["normal", "edge"])
    ]
    assert ["RangeOf" in tables for tables in stated] == [True, False]


@pytest.mark.parametrize("profile", ["wrap", "edge"])
@pytest.mark.parametrize("dtype", dtypes.INTS)
def test_integers_come_from_the_whole_of_their_type(dtype: str, profile: str) -> None:
    low, high = dtypes.exact_integers(dtype)
    drawn = np.concatenate([make_inputs(inputs_of(TensorType(dtype, (50,))), profile, s)[0] for s in range(20)])
    assert {low, high, 0, 1} <= set(drawn.tolist())
    assert len(set(drawn.tolist())) > 100
    assert ((drawn > high // 4) & (drawn < high // 2)).any()


@pytest.mark.parametrize("dtype", dtypes.FLOATS)
def test_edge_values_are_all_there_is(dtype: str) -> None:
    graph = inputs_of(TensorType(dtype, (50,)))
    drawn = np.concatenate([make_inputs(graph, "edge", s)[0].astype(np.float64) for s in range(40)])
    size, least = np.abs(drawn), dtypes.smallest_normal(dtype)
    finite = np.where(np.isfinite(size), size, 0.0)
    wanted = {
        "nan": np.isnan(drawn),
        "infinities": np.isposinf(drawn) | np.isneginf(drawn),
        "largest": size == dtypes.largest_finite(dtype),
        "smallest normal": size == least,
        "denormal": (size > 0) & (size < least),
        "a negative zero": (drawn == 0) & np.signbit(drawn),
        "a positive zero": (drawn == 0) & ~np.signbit(drawn),
        "ties": finite % 1 == 0.5,
        "ordinary ones": (size > 0.1) & (size < 5) & (finite % 0.5 != 0),
    }
    assert [name for name, found in wanted.items() if not found.any()] == []


@pytest.mark.parametrize("profile", ["normal", "edge"])
def test_quotients_that_are_rounded_down_lie_next_to_an_integer_now_and_then(profile: str) -> None:
    """At such a quotient, the rounded quotient has another floor."""
    build = GraphBuilder()
    x, y = (build.input(TensorType("float32", (50,))) for _ in range(2))
    graph = build.build([build.op("floor_divide", x, y, domain="aten")])
    with np.errstate(all="ignore"):
        drawn = [make_inputs(graph, profile, seed) for seed in range(40)]
        others = [np.isfinite(a / b) & (np.floor(a / b) != np.floor_divide(a, b)) for a, b in drawn]
    assert sum(map(np.count_nonzero, others)) > 30


def test_wrap_leaves_floats_as_they_are_usually() -> None:
    drawn = np.concatenate([make_inputs(inputs_of(TensorType("float32", (50,))), "wrap", s)[0] for s in range(10)])
    assert np.isfinite(drawn).all()
    assert 0.5 < drawn.std() < 1.5


@pytest.mark.parametrize("profile", ["wrap", "edge"])
def test_where_a_graph_has_no_value_inputs_are_gentler(profile: str) -> None:
    build = GraphBuilder()
    x, y, i = (build.input(TensorType(dtype, (7,))) for dtype in ("int32", "int32", "int64"))
    graph = build.build([build.op("Div", x, y), build.op("Gather", x, i, axis=0)])
    found = 0
    for seed in range(30):
        try:
            a, b, places = make_inputs(graph, profile, seed)
        except EvaluationError:
            continue
        found += 1
        assert np.all(b)
        assert not np.any((a == -(2**31)) & (b == -1)), "processors trap there"
        assert np.all((places >= -7) & (places < 7))
    assert found > 10


def test_variants_must_have_a_value_too() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("int8", (3,)))
    graph = build.build([build.op("Add", x, x)])
    build = GraphBuilder()
    x = build.input(TensorType("int8", (3,)))
    trap = build.build([build.op("Div", x, build.op("Sub", x, x))])
    make_inputs(graph, "wrap", 0)
    with pytest.raises(EvaluationError, match="zero"):
        make_inputs(graph, "wrap", 0, [trap])


def test_exact_values_are_exact_in_all_variants() -> None:
    """x x x x reaches 1296 for 6. bfloat16 is exact only up to 3 (81)."""

    def powers(count: int) -> Graph:
        build = GraphBuilder()
        x = y = build.input(TensorType("bfloat16", (64,)))
        for _ in range(count):
            y = build.op("Mul", y, x)
        return build.build([y])

    alone = make_inputs(powers(1), "exact", 0)
    assert np.abs(alone[0].astype(np.float64)).max() == 6
    assert not reproducible_outputs(powers(3), alone)[0]
    together = make_inputs(powers(1), "exact", 0, [powers(3)])
    assert reproducible_outputs(powers(3), together)[0]
    assert np.abs(together[0].astype(np.float64)).max() == 3


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="there are exact, normal, wrap, edge"):
        make_inputs(EVERY_TYPE, "wild", 0)


def test_profiles_together_allow_what_any_allows() -> None:
    assert allowed_rulesets(USUAL_PROFILES) == {"exact", "modular", "real"}
    assert allowed_rulesets(["wrap"]) == {"exact", "modular"}
    assert allowed_rulesets(["wrap", "edge"]) == {"exact", "modular"}
    assert all(RULESETS[profile] == RULESETS["exact"] for profile in REAL_PROFILES)
    assert set(RULESETS) == set(MODES) == set(PROFILES)
    assert set(GIVEN.values()) <= set(PROFILES)
    assert {rule.ruleset for rule in load()} <= allowed_rulesets(["exact"])
    with pytest.raises(KeyError):
        allowed_rulesets(["wild"])


def test_the_rules_of_a_plan_hold_on_the_values_of_its_profiles() -> None:
    with_real, with_wrap = plans(USUAL_PROFILES, ["exact", "modular", "real"])
    assert with_real == Plan(RULESETS["exact"], ("exact", "normal"))
    assert with_wrap == Plan(RULESETS["wrap"], ("exact", "normal", "wrap"))
    assert plans(USUAL_PROFILES, ["real"]) == (with_real,), "the other plan would have no rule"
    assert plans(USUAL_PROFILES, []) == plans(USUAL_PROFILES, ["modular"]) == (Plan(None, USUAL_PROFILES),)
    assert plans(["wrap"], ["exact", "real"]) == (Plan(RULESETS["wrap"], ("wrap",)),)
    drawn = [draw([with_real, with_wrap], str(key)) for key in range(40)]
    assert {(plan.rulesets, plan.large) for plan in drawn} == {
        (plan.rulesets, large) for plan in (with_real, with_wrap) for large in (False, True)
    }


def test_only_graphs_with_integers_are_run_on_integers_that_wrap_around() -> None:
    plan = Plan(None, USUAL_PROFILES)
    assert plan.profiles_of(EVERY_TYPE) == USUAL_PROFILES
    assert plan.profiles_of(inputs_of(TensorType("float32", (2,)))) == ("exact", "normal")
    assert Plan(None, ("wrap",)).profiles_of(inputs_of(TensorType("bool", ()))) == ("wrap",)


@pytest.mark.parametrize("profile", ["wrap", "edge"])
def test_what_is_known_holds_in_the_graphs_own_types(profile: str) -> None:
    known = total = special = 0
    for seed in range(120):
        graph = generate(8, f"profile {seed}")
        try:
            inputs = make_inputs(graph, profile, seed)
            results = evaluate(graph, inputs)
        except EvaluationError:
            continue
        analyses = analyse(graph, inputs, mode=MODES[profile])
        known += assert_within(results, analyses, graph)
        total += sum(a.bound.size for a in analyses)
        special += sum(int((np.isfinite(a.bound) & ~np.isfinite(a.reference.astype(float))).sum()) for a in analyses)
    assert known > (0.9 if profile == "wrap" else 0.6) * total
    assert (special > 1_000) == (profile == "edge")


@pytest.mark.parametrize("profile", ["wrap", "edge"])
def test_the_rules_that_a_profile_allows_hold_on_its_values(profile: str) -> None:
    rules = [rule for rule in load() if rule.ruleset in allowed_rulesets([profile])]
    rewriter = Rewriter(rules, Budget())
    compared = 0
    for seed in range(15):
        graph = generate(8, f"rules {profile} {seed}")
        try:
            variants = distinct(rewriter.rewrite(graph, seed, ranges=ranges(graph, [profile])).variants)
            inputs = make_inputs(graph, profile, seed, [v.graph for v in variants])
        except EvaluationError:
            continue
        wanted = analyse(graph, inputs, "float64", True, MODES[profile])
        for variant in variants:
            for a, b in zip(wanted, analyse(variant.graph, inputs, "float64", True, MODES[profile]), strict=True):
                assert not apart(a, b).any(), f"{graph}\n{variant.graph}"
                compared += 1
    assert compared > 20


def test_edge_values_are_judged_in_one_operator_that_is_no_policy_and_in_all_of_torch() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float16", (3,)))
    one = build.build([build.op("Relu", x)])
    two = build.build([build.op("Abs", build.op("Relu", x))])

    def judged(compiler: CompilerInfo) -> list[bool]:
        return [judged_on_edge(compiler, graph) for graph in (one, two)]

    onnx = replace(find("onnxruntime"), edge_policies={"Relu float32": "https://example.org"})
    assert judged(onnx) == [True, False]
    assert judged(replace(onnx, edge_policies={"Relu float16": "https://example.org"})) == [False, False]
    assert judged(replace(onnx, edge_policies={"Relu": "https://example.org"})) == [False, False]
    assert judged(find("inductor")) == [True, True]
