"""The verdicts of each oracle, and the results that it must not report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from polyjuice.compilers import find
from polyjuice.execution import Artifact, LoweringChoices, Memory, Outcome
from polyjuice.ir import Graph, TensorType
from polyjuice.numerics import SAFETY, Analyses, Analysis, analyse
from polyjuice.oracles import ORACLES, Case, InputSet, Program, Verdict, fault
from polyjuice.oracles.case import MISTYPED
from tests.support.graphs import graph

ARTIFACT = Artifact(format="torch", source="", choices=LoweringChoices())
VECTOR = TensorType("float32", (4,))


class FakeAccess:
    """A session that answers with prepared outcomes, by optimization level or one after another."""

    def __init__(self, *outcomes: Outcome, levels: Mapping[str, Outcome] | None = None) -> None:
        self.compiler = replace(find("numpy"), levels=(*(levels or {}), "all"))
        self._outcomes = list(outcomes)
        self._levels = levels or {}

    def execute(self, artifact: Artifact, inputs: object, *, level: str = "", compile: bool = True) -> Outcome:
        return self._levels[level] if level else self._outcomes.pop(0)

    def measure(self, artifact: Artifact, inputs: object) -> Outcome:
        return self._outcomes.pop(0)


ACCESS = FakeAccess()


def doubled(op: str, dtype: str = "float32") -> Graph:
    return graph(f"{dtype}[4] x", f"{op}(x, {'x' if op == 'Add' else [2] * 4})")


def ran(*outputs: Any, eager: Any = None) -> Outcome:
    return Outcome(status="ok", outputs=(outputs,), reference=None if eager is None else ((eager,),))


def case(x: np.ndarray, *sides: tuple[str, Graph, Outcome]) -> Case:
    programs = [
        Program(label=label, graph=graph, artifact=ARTIFACT, analyses=Analyses(graph, [[x]]), outcome=outcome)
        for label, graph, outcome in sides
    ]
    return Case(sets=[InputSet(profile="exact", arrays=(x,))], programs=programs)


def pair(x: np.ndarray, a: object, b: object, eager: object = None, dtype: str = "float32") -> list[Verdict]:
    """The metamorphic oracle's verdicts on x + x and x * 2, which were compiled to give a and b."""
    sides = ("min", doubled("Add", dtype), ran(a, eager=eager)), ("max", doubled("Mul", dtype), ran(b, eager=eager))
    return ORACLES["metamorphic"].judge(case(x, *sides), ACCESS)


def bounded(a: Sequence[float], b: Sequence[float], bound: Sequence[float], eager: Sequence[float]) -> list[Verdict]:
    """Two sides with given results, and bounds around the reference (1, 1, 1, 1)."""
    analysis = Analysis(VECTOR, np.ones(4), np.array(bound), False)
    tested = [
        Program(label=label, graph=doubled("Add"), artifact=ARTIFACT, analyses=[[analysis]],
                outcome=ran(np.float32(values), eager=np.float32(eager)))
        for label, values in (("min", a), ("max", b))
    ]  # fmt: skip
    sets = [InputSet(profile="normal", arrays=(np.ones(4, np.float32),))]
    return ORACLES["metamorphic"].judge(Case(sets=sets, programs=tested), ACCESS)


def changed(array: np.ndarray, place: int, value: float) -> np.ndarray:
    array = array.copy()
    array[place] = value
    return array


X = np.array([1, -2, 3, 0], np.float32)


Y = 2 * X


LONG = np.array([2**60, 1, 2, 3])


@pytest.mark.parametrize(
    ("x", "a", "b", "eager", "culprits"),
    [
        pytest.param(X, Y, Y, None, [], id="equal"),
        pytest.param(X, changed(Y, 3, -0.0), Y, None, [], id="zeros of either sign"),
        pytest.param(X, Y, changed(Y, 2, np.nan), None, ["max"], id="NaN on one side"),
        pytest.param(X, Y + 1, Y + 1, None, [], id="both wrong alike"),
        pytest.param(X, Y + 1, Y, Y + 1, [], id="the framework is as wrong"),
        pytest.param(X, Y + 1, Y, Y + 0.5, ["min"], id="the framework is wrong in another way"),
        pytest.param(LONG, 2 * LONG, changed(2 * LONG, 0, 2**61 + 1), None, ["max"], id="what float64 holds as one"),
    ],
)
def test_bitwise_comparison(x: np.ndarray, a: object, b: object, eager: object, culprits: Sequence[str]) -> None:
    verdicts = pair(x, a, b, eager, x.dtype.name)
    assert [(verdict.comparison, verdict.culprit) for verdict in verdicts] == [("bitwise", side) for side in culprits]


def test_a_verdict_names_sides_place_and_values() -> None:
    (verdict,) = pair(X, changed(Y, 1, np.nextafter(Y[1], np.float32(0))), Y)
    assert (verdict.kind, verdict.culprit) == ("mismatch", "min")
    assert (verdict.a, verdict.b, verdict.inputs, verdict.output) == ("min", "max", 0, 0)
    assert verdict.allowed.tolist() == [0, 0, 0, 0]
    assert verdict.message == (
        "output 0 (float32[4]) differs: min is off by 2.38e-07 where the result is exact at 1 of 4 elements ([1]); "
        "at [1] it gives -3.99999976, and float64 -4; max gives -4.0"
    )


ONES, CENT = [1.0] * 4, [0.01] * 4


@pytest.mark.parametrize(
    ("a", "b", "bound", "eager", "culprits"),
    [
        pytest.param(ONES, [1, 1.5, 1, 1], CENT, ONES, ["max"], id="the side farther from float64"),
        pytest.param([1, 2.5, 3, 1], [1, 1, 1, 1.5], CENT, ONES, ["min"], id="the side that is wrong more often"),
        pytest.param([1.015, 1, 1, 1], [0.5, 1, 1, 1], CENT, ONES, ["max"], id="a side within its bound"),
        pytest.param([1, 0.5, 1, 1], [1, 1.5, 1, 1], CENT, ONES, [""], id="both as often"),
        pytest.param([1, 1.5, 1, 1], ONES, CENT, [1, 1.5, 1, 1], [], id="eager errs as much"),
        pytest.param([1, 1.5, 1, 1], ONES, CENT, [1, 1.25, 1, 1], ["min"], id="eager errs less"),
        pytest.param([1.019, 1, 1, 1], [0.981, 1, 1, 1], CENT, ONES, [], id="each side within its bound"),
        pytest.param([1, 99, np.nan, 1], ONES, [0.01, np.inf, np.inf, 0.01], ONES, [], id="masked"),
    ],
)
def test_bounded_comparison(
    a: Sequence[float], b: Sequence[float], bound: Sequence[float], eager: Sequence[float], culprits: Sequence[str]
) -> None:
    assert [verdict.culprit for verdict in bounded(a, b, bound, eager)] == culprits


def test_real_inputs_are_compared_within_the_bound_and_no_farther() -> None:
    x = np.array([0.1, -1.7, 3.3, 0.7], np.float32)
    bounds = [analyse(doubled(op), [x])[0] for op in ("Add", "Mul")]
    assert not any(b.reproducible for b in bounds)
    allowed = SAFETY * sum(b.bound for b in bounds)
    exact = 2 * x.astype(np.float64)
    inside, outside = exact.copy(), exact.copy()
    inside[0] += 0.9 * allowed[0]
    outside[0] += 1.5 * allowed[0]
    assert pair(x, inside, exact, eager=exact) == []
    (verdict,) = pair(x, outside, exact, eager=exact)
    assert (verdict.comparison, verdict.culprit) == ("bounded", "min")
    np.testing.assert_allclose(verdict.allowed, allowed)


def test_a_reproducer_is_to_ignore_elements_that_no_one_is_to_blame_for() -> None:
    (verdict,) = bounded([1, 1.5, 1.5, 1], ONES, CENT, eager=[1, 1.5, 1, 1])
    np.testing.assert_allclose(verdict.allowed, SAFETY * np.array([0.02, np.inf, 0.02, 0.02]))
    (verdict,) = bounded([1, 99, np.nan, 1], ONES, [0.01, np.inf, 0.01, 0.01], eager=ONES)
    assert "at 1 of 4 elements ([2]); at [2] it gives nan, and float64 1; max gives 1.0" in verdict.message
    assert verdict.allowed[1] == np.inf


def test_a_wrong_shape_is_reported_and_its_side_blamed() -> None:
    (verdict,) = pair(X, 2 * X, (2 * X).reshape(2, 2))
    assert (verdict.kind, verdict.culprit) == ("mismatch", "max")
    assert "shape (2, 2), not (4,)" in verdict.message


def test_every_pair_is_judged_and_only_variants_that_ran() -> None:
    good, bad = ran(2 * X), ran(2 * X + 1)
    graph = doubled("Add")
    sides = [
        ("min", graph, good),
        ("step-1", graph, bad),
        ("step-2", graph, Outcome(status="error")),
        ("max", graph, good),
    ]
    verdicts = ORACLES["metamorphic"].judge(case(X, *sides), ACCESS)
    assert [(v.a, v.b, v.culprit) for v in verdicts] == [("min", "step-1", "step-1"), ("step-1", "max", "step-1")]


def test_one_verdict_names_the_first_output_and_inputs_that_differ() -> None:
    both = graph("float32[4] x", "Neg(x), Abs(x)")
    sets = [[X], [X + 1]]
    right = tuple((-x, abs(x)) for (x,) in sets)
    wrong = (right[0], (right[1][0], right[1][1] + 1))
    tested = [
        Program(label=label, graph=both, artifact=ARTIFACT, analyses=Analyses(both, sets),
                outcome=Outcome(status="ok", outputs=outputs))
        for label, outputs in (("min", right), ("max", wrong))
    ]  # fmt: skip
    inputs = [InputSet(profile=profile, arrays=x) for profile, x in zip(("exact", "normal"), sets, strict=True)]
    (verdict,) = ORACLES["metamorphic"].judge(Case(sets=inputs, programs=tested), ACCESS)
    assert (verdict.inputs, verdict.output, verdict.culprit) == (1, 1, "max")


def test_equal_mismatches_have_equal_signatures_whatever_their_values() -> None:
    first = pair(X, 2 * X + 1, 2 * X)[0].signature
    assert pair(X + 1, 2 * X + 9, 2 * X + 2)[0].signature == first
    x = np.array([1, 2, 3, 4], np.float64)
    assert pair(x, 2 * x + 1, 2 * x, dtype="float64")[0].signature != first
    assert "Add" in first
    assert "Mul" in first


def failed(status: str, message: str = "ValueError: no", stage: str = "compile") -> Outcome:
    return Outcome(status=status, stage=stage, message=message)  # type: ignore[arg-type]


def crashes(*outcomes: Outcome) -> list[Verdict]:
    sides = [(label, doubled("Add"), o) for label, o in zip(("min", "max"), outcomes, strict=True)]
    return ORACLES["crash"].judge(case(X, *sides), ACCESS)


@pytest.mark.parametrize(("status", "kind"), [("error", "crash"), ("crash", "crash"), ("hang", "hang")])
def test_a_one_sided_failure_names_the_failing_side_and_the_other(status: str, kind: str) -> None:
    (verdict,) = crashes(ran(2 * X), failed(status))
    assert (verdict.kind, verdict.a, verdict.b, verdict.culprit) == (kind, "max", "min", "max")
    assert "max does not compile: ValueError: no" in verdict.message
    assert "its equivalent min did not" in verdict.message


def test_a_two_sided_failure_is_a_verdict_for_each_side() -> None:
    verdicts = crashes(failed("error"), failed("hang", "no end of run within 2 s", "run"))
    assert [(v.kind, v.a, v.b) for v in verdicts] == [("crash", "min", ""), ("hang", "max", "")]
    assert "equivalent" not in verdicts[0].message


@pytest.mark.parametrize("outcome", [failed("unsupported", "NotImplementedError: Det"), ran(2 * X)])
def test_what_is_unsupported_or_runs_is_no_verdict(outcome: Outcome) -> None:
    assert crashes(outcome, ran(2 * X)) == []


@pytest.mark.parametrize(
    ("outcome", "kinds"),
    [
        (failed("error"), []),
        (failed("unsupported", "TypeError: no", "load"), []),
        (ran(2 * X), []),
        (failed("crash", "the process was ended by SIGSEGV during run", "run"), ["crash"]),
        (failed("hang", "no end of run within 2 s", "run"), ["hang"]),
    ],
)
def test_a_program_with_a_broken_constraint_must_not_end_or_hang_the_process(
    outcome: Outcome, kinds: Sequence[str]
) -> None:
    broken = replace(case(X, ("disrupted", doubled("Add"), outcome)), broken="type of operand 1 of Add")
    verdicts = ORACLES["crash"].judge(broken, ACCESS)
    assert [v.kind for v in verdicts] == kinds
    for verdict in verdicts:
        assert verdict.message.endswith("(an error was due: type of operand 1 of Add)")
        assert verdict.signature.endswith("type of operand N of Add")


def signature_of(outcome: Outcome) -> str:
    (verdict,) = crashes(ran(2 * X), outcome)
    return verdict.signature


def test_failures_that_differ_in_numbers_names_and_paths_have_one_signature() -> None:
    one = "KeyError: 'buf12' at /tmp/a/b.py:17 for 3 of 0x7ffe elements"
    first = signature_of(failed("error", one))
    assert signature_of(failed("error", "KeyError: 'buf7' at /home/c.py:9 for 25 of 0x12ab elements")) == first
    assert "KeyError" in first
    others = [failed("error", "TypeError: 'buf12'"), failed("hang", one), failed("error", one, stage="run")]
    assert len({first, *map(signature_of, others)}) == 4


def traceback(*functions: str, lines: int = 7) -> str:
    return "\n".join(f'  File "torch/a.py", line {lines + n}, in {name}\n    code' for n, name in enumerate(functions))


def test_an_error_within_an_explanation_of_dynamo_is_reported_and_frames_of_cpp_are_not_taken_for_pythons() -> None:
    message = (
        "TorchRuntimeError: RuntimeError when making fake tensor call\n  Explanation: call_function gather(*(FakeTensor"
        "(...), 0)): got RuntimeError('Cannot call numel()\\nraised from x.cpp:340 (most recent call first):\\nframe #0"
    )
    text = f"{traceback('compile', 'get_fake_value', 'unimplemented')}\n{message}\nfrom user code:\n"
    text += '  File "<model>", line 11, in forward\n'
    assert signature_of(replace(failed("error", message), traceback=text)) == (
        "crash compile TorchRuntimeError: RuntimeError when making fake tensor call: "
        "RuntimeError: Cannot call numel() | in unimplemented, get_fake_value"
    )


def test_failures_that_say_the_same_are_told_apart_by_where_they_happened() -> None:
    python = traceback("compile", "lower", "pad3")
    caused = (
        f"{python}\nAssertionError\n\nThe above exception was the direct cause of ...:\n{traceback('main', 'call')}"
    )
    native = traceback("tvm::relax::Build(tvm::IRModule)", "tvm::relax::lower(int)", "pad3(int, tvm::PrimExpr)")
    died = 'Thread 1 (most recent call first):\n  File "a.py", line 3 in pad\n  File "a.py", line 9 in lower'
    texts = python, traceback("call", "lower", "pad8", lines=30), caused, traceback("lower", "cat"), native, died
    signatures = [signature_of(replace(failed("error", "AssertionError: "), traceback=text)) for text in texts]
    assert signatures[0] == signatures[1] == signatures[2] == "crash compile AssertionError: | in padN, lower"
    assert [s.rpartition("| in ")[2] for s in signatures[3:]] == ["cat, lower", "padN, tvm::relax::lower", "pad, lower"]


def test_a_message_of_many_lines_is_reported_by_its_headline() -> None:
    (verdict,) = crashes(ran(2 * X), failed("error", "LoweringException: no such loop\n  at frame 1\n  at frame 2"))
    assert "LoweringException: no such loop" in verdict.message
    assert "frame" not in verdict.message


def test_an_error_of_generated_cpp_is_reported_with_what_the_compiler_of_cpp_says() -> None:
    text = "CppCompileError: C++ compile error\n\nCommand:\ng++ a.cpp\n\nOutput:\na.cpp: In function ‘kernel’:\n"
    one, other = (
        crashes(ran(2 * X), failed("error", f"{text}/tmp/a.cpp:87:43: error: {message}"))[0]
        for message in ("no matching function", "different types")
    )
    assert "C++ compile error: no matching function" in one.message
    assert one.signature != other.signature


def alone(x: np.ndarray, y: np.ndarray, eager: np.ndarray | None = None) -> list[Verdict]:
    return ORACLES["differential"].judge(case(x, ("original", doubled("Add"), ran(y, eager=eager))), ACCESS)


def test_one_program_is_judged_against_float64() -> None:
    off = changed(Y, 2, 7)
    assert alone(X, Y) == alone(X, off, eager=off) == []
    (verdict,) = alone(X, off)
    assert (verdict.kind, verdict.a, verdict.b, verdict.culprit) == ("mismatch", "original", "", "original")
    assert verdict.expected.tolist() == [2, -4, 6, 0]
    assert verdict.allowed.tolist() == [np.inf, np.inf, 0, np.inf]


def at_levels(y: np.ndarray, **levels: Outcome) -> list[Verdict]:
    return ORACLES["optlevel"].judge(case(X, ("min", doubled("Add"), ran(y))), FakeAccess(levels=levels))


def test_the_level_that_differs_is_named_and_the_wrong_side_blamed() -> None:
    assert at_levels(2 * X, none=ran(2 * X), some=ran(2 * X)) == []
    (verdict,) = at_levels(2 * X, none=ran(2 * X), some=ran(2 * X + 1))
    assert (verdict.kind, verdict.a, verdict.b, verdict.level) == ("mismatch", "min", "", "some")
    assert verdict.culprit == "min at level some"
    verdicts = at_levels(2 * X + 1, none=ran(2 * X), some=ran(2 * X))
    assert [(v.level, v.culprit) for v in verdicts] == [("none", "min"), ("some", "min")]
    wide = np.float64(2 * X)
    assert at_levels(wide, none=ran(wide)) == []
    assert [v.culprit for v in at_levels(2 * X, none=ran(wide))] == ["min at level none"]


@pytest.mark.parametrize(
    ("oracle", "refused", "words", "taken"),
    [
        ("optlevel", "numpy", "has no optimization levels", "onnxruntime"),
        ("gradient", "onnxruntime", "torch", "inductor"),
    ],
)
def test_an_oracle_refuses_compilers_that_it_cannot_judge(oracle: str, refused: str, words: str, taken: str) -> None:
    assert words in ORACLES[oracle].refusal(find(refused))
    assert ORACLES[oracle].refusal(find(taken)) == ""


def test_a_failure_at_one_level_is_a_crash_there() -> None:
    (verdict,) = at_levels(2 * X, none=failed("error"), some=Outcome(status="unsupported"))
    assert (verdict.kind, verdict.level) == ("crash", "none")
    assert "min at level none does not compile" in verdict.message


def again(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> list[Verdict]:
    """The determinism oracle's verdicts on x + x, whose three runs gave these outputs."""
    access = FakeAccess(Outcome(status="ok", outputs=((second,), (third,))))
    return ORACLES["determinism"].judge(case(X, ("min", doubled("Add"), ran(first))), access)


def test_a_run_that_differs_is_named() -> None:
    assert again(2 * X, 2 * X, 2 * X) == []
    for place, word in ((1, "second"), (2, "third")):
        runs = [2 * X, 2 * X, 2 * X]
        runs[place] = changed(Y, 2, 7)
        (verdict,) = again(*runs)
        assert (verdict.kind, verdict.a, verdict.b) == ("nondeterministic", "min", "")
        assert f"at [2] the first run gives 6.0, the {word} 7.0" in verdict.message


def timed(*seconds: float, peak: int = 0) -> Outcome:
    return Outcome(status="ok", times=seconds, peak=peak)


def measured(*outcomes: Outcome) -> list[Verdict]:
    """The performance oracle's verdicts on x + x and -(-(x + x)), measured in turns."""
    sides = ("min", doubled("Add"), ran(2 * X)), ("max", graph("float32[4] x", "Neg(Neg(Add(x, x)))"), ran(2 * X))
    return ORACLES["performance"].judge(case(X, *sides), FakeAccess(*outcomes))


SLOW, FAST = timed(3e-3, 3.1e-3, 3.2e-3), timed(1e-3, 1e-3, 1.1e-3)


def test_a_simpler_program_that_is_slower_every_time_is_reported() -> None:
    (verdict,) = measured(*[SLOW, FAST] * 5)
    assert (verdict.kind, verdict.a, verdict.b, verdict.culprit) == ("slow", "min", "max", "min")
    assert verdict.message == ("min (1 operators) takes 3100 µs, 3.1 times as long as its equivalent max (3 operators)")


def test_a_larger_program_may_be_slower_and_noise_is_no_verdict() -> None:
    assert measured(FAST, SLOW) == []
    assert measured(*[SLOW, FAST] * 4, FAST, FAST) == [], "one round in which it is not slower"
    assert measured(timed(1e-3, 3e-3, 9e-3), timed(0.9e-3, 1e-3, 3e-3)) == []
    assert measured(timed(30e-6, 30e-6), timed(10e-6, 10e-6)) == []


def test_far_more_memory_is_reported() -> None:
    (verdict,) = measured(*[timed(1e-3, peak=2**28), timed(1e-3, peak=2**20)] * 5)
    assert verdict.kind == "memory"
    assert "256 MiB, 256.0 times as much as" in verdict.message
    assert measured(timed(1e-3, peak=2**22), timed(1e-3, peak=0)) == []


@pytest.mark.parametrize(
    ("plain", "broken", "found"),
    [
        (Outcome(status="unsupported", stage="eager", message="ValueError: ill typed"), "type of operand 0 of Add", 1),
        (Outcome(status="unsupported", stage="load"), "type of operand 0 of Add", 0),
        (ran(2 * X), "type of operand 0 of Add", 0),
        (Outcome(status="unsupported", stage="eager"), "", 0),
    ],
    ids=["refused", "not loaded", "accepted", "no broken program"],
)
def test_a_broken_program_that_runs_compiled_alone_lost_its_validation(plain: Outcome, broken: str, found: int) -> None:
    made = replace(case(X, ("disrupted", doubled("Add"), ran(2 * X))), broken=broken)
    verdicts = ORACLES["validation"].judge(made, FakeAccess(plain))
    assert len(verdicts) == found
    assert all("uncompiled it raises ValueError: ill typed (an error was due" in one.message for one in verdicts)


GRADIENT = np.full(4, 2, np.float32)


def differentiated(compiled: np.ndarray, wide: Sequence[float] = (2, 2, 2, 2), beside: float = 0.0) -> list[Verdict]:
    """The gradient oracle's verdicts on a program that was compiled to have a gradient. Eager has 2 everywhere."""
    at = np.array(wide, np.float64)
    exact = Outcome(status="ok", reference_gradients=({0: at}, {0: at + beside}, {0: at - beside}))
    return ORACLES["gradient"].judge(trained(compiled), FakeAccess(exact))


def trained(compiled: np.ndarray) -> Case:
    outcome = replace(ran(2 * X), gradients=({0: compiled},), reference_gradients=({0: GRADIENT},))
    made = case(X, ("min", doubled("Add"), outcome))
    return replace(made, programs=[replace(made.programs[0], artifact=replace(ARTIFACT, setup={"mode": "grad"}))])


def test_a_wrong_gradient_is_a_verdict() -> None:
    (verdict,) = differentiated(changed(GRADIENT, 2, 5))
    assert (verdict.kind, verdict.a, verdict.b, verdict.culprit, verdict.output) == ("mismatch", "min", "", "min", 0)
    expected = "min: the gradient with respect to input 0 is wrong at 1 of 4 elements; at [2] it is 5.0, in float64 2;"
    assert expected in verdict.message


def test_gradients_at_a_kink_and_those_that_eager_has_wrong_are_not_judged() -> None:
    assert differentiated(changed(GRADIENT, 3, np.nextafter(np.float32(2), np.float32(3)))) == []
    assert differentiated(changed(GRADIENT, 2, 5), beside=1.0) == []
    assert differentiated(changed(GRADIENT, 2, 5), wide=[2, 2, 5, 2]) == []
    assert differentiated(changed(GRADIENT, 2, 5), wide=[2, 2, 9, 2]) == [], "eager is further off"


@pytest.mark.parametrize(("index", "user_program", "found"), [(0, True, 1), (1, True, 0), (8, True, 1), (8, False, 0)])
def test_one_user_program_in_eight_is_compiled_again_for_its_gradients(
    index: int, user_program: bool, found: int
) -> None:
    again = trained(changed(GRADIENT, 2, 5)).programs[0].outcome
    exact = Outcome(status="ok", reference_gradients=({0: np.full(4, 2.0)},) * 3)
    made = case(X, ("original", doubled("Add"), ran(2 * X)))
    made = replace(made, index=index, programs=[replace(made.programs[0], user_program=user_program)])
    assert len(ORACLES["gradient"].judge(made, FakeAccess(again, exact))) == found


def laid_out(compiled: Sequence[int], plain: Sequence[int], shape: Sequence[int] = (2, 3)) -> list[Verdict]:
    """The verdicts on the strides of one result, which is zero everywhere."""
    outcome = replace(
        ran(np.zeros(shape, np.float32)),
        memory=(Memory(strides={0: tuple(compiled)}),),
        reference_memory=(Memory(strides={0: tuple(plain)}),),
    )
    made = case(X, ("min", doubled("Add"), outcome))
    found = ORACLES["strides"].judge(made, ACCESS)
    assert all(ORACLES["strides"].triggers(verdict, made, ACCESS) for verdict in found)
    return found


def test_other_strides_than_uncompiled_are_a_verdict() -> None:
    (verdict,) = laid_out([3, 1], [1, 2])
    assert (verdict.kind, verdict.a, verdict.culprit, verdict.output) == ("strides", "min", "min", 0)
    assert verdict.message.endswith("has strides [3, 1], uncompiled [1, 2]")
    assert laid_out([1, 0], [3, 1]), "an expanded result"


@pytest.mark.parametrize(
    ("compiled", "plain", "shape"),
    [
        ([3, 1], [3, 1], (2, 3)),
        ([3, 1], [9, 1], (1, 3)),
        ([0, 1], [1, 1], (2, 0)),
        ([3, 1], [6, 2], (2, 3)),
        ([3, 1], [1, 0], (2, 3)),
    ],
    ids=["the same", "one element", "no elements", "uncompiled a stepped view", "uncompiled an expanded view"],
)
def test_strides_that_choose_no_element_or_belong_to_a_view_are_no_verdict(
    compiled: Sequence[int], plain: Sequence[int], shape: Sequence[int]
) -> None:
    assert laid_out(compiled, plain, shape) == []


def test_a_wrong_element_type_is_another_fault_than_wrong_values() -> None:
    values = Verdict(
        oracle="differential", kind="mismatch", a="min", b="", message="", signature="", comparison="bitwise"
    )
    assert values.same_fault(replace(values, comparison="bounded"))
    assert not values.same_fault(replace(values, comparison=MISTYPED))


@pytest.mark.parametrize(("second", "faults"), [(5.0, 1), (6.0, 2)], ids=["the same", "another"])
def test_one_wrong_result_of_both_sides_is_one_fault(second: float, faults: int) -> None:
    x = np.array([1, 2, 3, 4], np.float32)
    wrong = [np.array([value, 4, 6, 8], np.float32) for value in (5.0, second)]
    both = case(x, ("min", doubled("Add"), ran(wrong[0])), ("max", doubled("Mul"), ran(wrong[1])))
    verdicts = ORACLES["differential"].judge(both, ACCESS)
    assert [v.culprit for v in verdicts] == ["min", "max"]
    assert len({fault(both, verdict) for verdict in verdicts}) == faults


def test_crashes_with_one_message_are_one_fault() -> None:
    sides = [(label, doubled("Add"), failed("error", "ValueError: no such kernel")) for label in ("min", "max")]
    both = case(X, *sides)
    assert len({fault(both, verdict) for verdict in ORACLES["crash"].judge(both, ACCESS)}) == 1


def test_a_wrong_output_that_is_not_the_first_still_shows() -> None:
    """If an input is written and returned, it is two results, and other oracles may name the second."""
    right, wrong = 2 * X, 2 * X + 1
    outcome = Outcome(status="ok", outputs=((wrong, wrong, X),), reference=((right, right, X),))
    judged = case(X, ("min", graph("float32[4] x", "y = Add(x, x); y, y, x"), outcome))
    (verdict,) = ORACLES["differential"].judge(judged, ACCESS)
    assert verdict.output == 0
    shows = [ORACLES["differential"].triggers(replace(verdict, output=k), judged, ACCESS) for k in range(4)]
    assert shows == [True, True, False, False]
