"""Input profiles: distributions, magnitudes, the facts that rules may assume, and what the analysis knows of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import Budget, Rewriter, distinct, load
from polyjuice.egraph.encode import encode
from polyjuice.execution import Artifact
from polyjuice.frameworks.lowering import lower
from polyjuice.frameworks.onnx import graph_files
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
from polyjuice.inputs.distributions import DISTRIBUTIONS, distributed, in_distribution
from polyjuice.inputs.magnitudes import SMALL, largest
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import analyse, apart, reproducible_outputs
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import Case
from polyjuice.session import CompilerSession, Conditions
from tests.support.bounds import assert_within
from tests.support.graphs import apply, graph

SHAPE = (5, 7)


def drawn(name: str, dtype: str) -> np.ndarray:
    """An array with a distribution, in float64 (with truth values as 1 and -1)."""
    rng = np.random.default_rng(3)
    mixed = rng.integers(0 if dtype == "uint8" else -6, 7, SHAPE)
    array = mixed > 0 if dtype == "bool" else mixed.astype(dtypes.to_numpy(dtype))
    changed = in_distribution(array, DISTRIBUTIONS[name][1], rng)
    assert (changed.dtype, changed.shape) == (array.dtype, SHAPE)
    return np.where(changed, 1.0, -1.0) if dtype == "bool" else changed.astype(np.float64)


def sorted_in_memory(x: np.ndarray) -> bool:
    return bool((np.diff(x.ravel()) >= 0).all())


HOLDS: dict[str, Callable[[np.ndarray], bool]] = {
    "mixed": lambda x: len(np.unique(x)) > 1,
    "positive": lambda x: bool((x > 0).all()),
    "negative": lambda x: bool((x < 0).all()),
    "rectified": lambda x: bool((x <= 0).any() and (x > 0).any()),
    "sparse": lambda x: bool(((x > 0) | (x < 0)).sum() <= SHAPE[0] * 2),
    "constant": lambda x: len(np.unique(x)) == 1,
    "ascending": sorted_in_memory,
    "descending": lambda x: sorted_in_memory(-x),
    "duplicated": lambda x: len(np.unique(x)) <= 3,
    "alternating": lambda x: bool((x[:, 1:] * x[:, :-1] < 0).all() and (x[1:] * x[:-1] < 0).all()),
}


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_an_array_has_its_distribution(name: str, dtype: str) -> None:
    array = drawn(name, dtype)
    assert HOLDS[name](array)
    assert np.abs(array).max() <= 6


@pytest.mark.parametrize("name", sorted({*DISTRIBUTIONS} - {"sparse"}))
def test_truth_values_have_theirs(name: str) -> None:
    assert HOLDS[name](drawn(name, "bool"))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_unsigned_integers_have_no_signs(name: str) -> None:
    array = drawn(name, "uint8")
    assert array.max() <= 6
    assert HOLDS[name](array) or name in ("negative", "alternating")


def test_the_least_integer_has_no_magnitude() -> None:
    least = np.full(3, -128, np.int8)
    assert in_distribution(least, DISTRIBUTIONS["positive"][1], np.random.default_rng(0)).tolist() == [1, 1, 1]


def test_scalars_and_empty_arrays_stay_as_they_are() -> None:
    for array in (np.array(2.5), np.zeros((0, 3))):
        for _, change in DISTRIBUTIONS.values():
            assert in_distribution(array, change, np.random.default_rng(0)) is array


@pytest.mark.parametrize("profile", PROFILES)
def test_the_first_input_has_the_distribution_that_is_asked_for(profile: str) -> None:
    others = set()
    for seed in range(10):
        first, second = make_inputs(apply("Max", "int32[5,3]", "int32[5,3]"), profile, seed, distribution="constant")
        assert HOLDS["constant"](first)
        others.add(HOLDS["constant"](second))
    assert False in others


def test_all_of_them_are_drawn() -> None:
    arrays = [distributed(np.arange(-3, 4), np.random.default_rng(seed)) for seed in range(60)]
    for holds in (HOLDS["constant"], HOLDS["positive"], HOLDS["negative"], lambda x: x.tolist() == [*range(3, -4, -1)]):
        assert any(holds(array) for array in arrays)


def largest_drawn(graph: Graph, variants: tuple[Graph, ...] = ()) -> list[float]:
    """The largest magnitude of each input over some seeds. All outputs must be exact on them."""
    found = []
    for seed in range(6):
        inputs = make_inputs(graph, "exact", seed, variants, large=True)
        assert all(reproducible_outputs(graph, inputs))
        found.append([float(np.abs(array.astype(np.float64)).max()) for array in inputs])
    return [max(column) for column in zip(*found, strict=True)]


def of(op: str, dtype: str, count: int = 2) -> Graph:
    return apply(op, *[f"{dtype}[9]"] * count)


@pytest.mark.parametrize("dtype", dtypes.NUMERIC)
@pytest.mark.parametrize("op", ["Max", "Less", "Identity"])
def test_what_moves_compares_or_selects_takes_the_whole_type(op: str, dtype: str) -> None:
    graph = of(op, dtype, 1 if op == "Identity" else 2)
    assert largest_drawn(graph) == [float(largest(dtype))] * len(graph.inputs)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "float16", "float32", "float64"])
def test_products_take_about_the_root_of_it(dtype: str) -> None:
    for magnitude in largest_drawn(of("Mul", dtype)):
        assert SMALL[0] < magnitude <= largest(dtype)
    low, high = dtypes.exact_integers(dtype)
    for seed in range(6):
        product = evaluate(of("Mul", dtype), make_inputs(of("Mul", dtype), "exact", seed, large=True), "float64")[0]
        assert low <= product.min() <= product.max() <= high


def test_an_input_that_is_only_compared_is_large_beside_one_that_is_multiplied() -> None:
    body = "t = Mul(x, x); Mul(t, t), Max(y, y)"
    multiplied, compared = largest_drawn(graph("int32[9] x y", body))
    assert multiplied < 2**8
    assert compared == 2**31 - 1


def test_sums_of_64_bit_integers_do_not_overflow_unnoticed() -> None:
    graph = of("Add", "int64")
    for seed in range(6):
        a, b = make_inputs(graph, "exact", seed, large=True)
        exact = [int(x) + int(y) for x, y in zip(a, b, strict=True)]
        assert evaluate(graph, (a, b))[0].tolist() == exact


def test_indices_stay_within_their_axis() -> None:
    values, indices = largest_drawn(apply("Gather", "int16[7]", "int64[4]", axis=0))
    assert values == 2**15 - 1
    assert indices <= 7


def test_what_a_variant_cannot_hold_is_smaller() -> None:
    doubled = graph("int32[9] x", "Add(x, x)")
    variant = graph("int32[9] x", "Cast(Mul(Cast(x, to='int16'), 2), to='int32')")
    (magnitude,) = largest_drawn(doubled, (variant,))
    assert SMALL[0] < magnitude < 2**15
    assert reproducible_outputs(variant, make_inputs(doubled, "exact", 0, [variant], large=True))[0]


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
    made = apply("aten.floor_divide", "float32[50]", "float32[50]")
    with np.errstate(all="ignore"):
        drawn = [make_inputs(made, profile, seed) for seed in range(40)]
        others = [np.isfinite(a / b) & (np.floor(a / b) != np.floor_divide(a, b)) for a, b in drawn]
    assert sum(map(np.count_nonzero, others)) > 30


@pytest.mark.parametrize("profile", ["wrap", "edge"])
def test_where_a_graph_has_no_value_inputs_are_gentler(profile: str) -> None:
    made = graph("int32[7] x y; int64[7] i", "Div(x, y), Gather(x, i, axis=0)")
    found = 0
    for seed in range(30):
        try:
            a, b, places = make_inputs(made, profile, seed)
        except EvaluationError:
            continue
        found += 1
        assert np.all(b)
        assert not np.any((a == -(2**31)) & (b == -1)), "processors trap there"
        assert np.all((places >= -7) & (places < 7))
    assert found > 10


def test_variants_must_have_a_value_too() -> None:
    made, trap = graph("int8[3] x", "Add(x, x)"), graph("int8[3] x", "Div(x, Sub(x, x))")
    make_inputs(made, "wrap", 0)
    with pytest.raises(EvaluationError, match="zero"):
        make_inputs(made, "wrap", 0, [trap])


def test_exact_values_are_exact_in_all_variants() -> None:
    """x x x x reaches 1296 for 6. bfloat16 is exact only up to 3 (81)."""
    square, fourth = (graph("bfloat16[64] x", "y = x; " + "y = Mul(y, x); " * count + "y") for count in (1, 3))
    alone = make_inputs(square, "exact", 0)
    assert np.abs(alone[0].astype(np.float64)).max() == 6
    assert not reproducible_outputs(fourth, alone)[0]
    together = make_inputs(square, "exact", 0, [fourth])
    assert reproducible_outputs(fourth, together)[0]
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
        made = generate(8, f"profile {seed}")
        try:
            inputs = make_inputs(made, profile, seed)
            results = evaluate(made, inputs)
        except EvaluationError:
            continue
        analyses = analyse(made, inputs, mode=MODES[profile])
        known += assert_within(results, analyses, made)
        total += sum(a.bound.size for a in analyses)
        special += sum(int((np.isfinite(a.bound) & ~np.isfinite(a.reference.astype(float))).sum()) for a in analyses)
    assert known > (0.85 if profile == "wrap" else 0.6) * total
    assert (special > 500) == (profile == "edge")


@pytest.mark.parametrize("profile", ["wrap", "edge"])
def test_the_rules_that_a_profile_allows_hold_on_its_values(profile: str) -> None:
    rules = [rule for rule in load() if rule.ruleset in allowed_rulesets([profile])]
    rewriter = Rewriter(rules, Budget())
    compared = 0
    for seed in range(8):
        made = generate(8, f"rules {profile} {seed}")
        try:
            variants = distinct(rewriter.rewrite(made, seed, ranges=ranges(made, [profile])).variants)
            inputs = make_inputs(made, profile, seed, [v.graph for v in variants])
        except EvaluationError:
            continue
        wanted = analyse(made, inputs, "float64", True, MODES[profile])
        for variant in variants:
            for a, b in zip(wanted, analyse(variant.graph, inputs, "float64", True, MODES[profile]), strict=True):
                assert not apart(a, b).any(), f"{made}\n{variant.graph}"
                compared += 1
    assert compared > 10


def test_edge_values_are_judged_in_one_operator_that_is_no_policy_and_in_all_of_torch() -> None:
    one, two = apply("Relu", "float16[3]"), graph("float16[3] x", "Abs(Relu(x))")

    def judged(compiler: CompilerInfo) -> list[bool]:
        return [judged_on_edge(compiler, made) for made in (one, two)]

    onnx = find("onnxruntime")
    for policy, expected in (("Relu float32", True), ("Relu float16", False), ("Relu", False)):
        assert judged(replace(onnx, edge_policies={policy: "https://example.org"})) == [expected, False]
    assert judged(find("inductor")) == [True, True]


CASES = 8


def product(dtype: str) -> Graph:
    return graph(f"{dtype}[6] x y", "Cast(Mul(x, y), to='int32')")


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
