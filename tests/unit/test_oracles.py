"""The verdicts of each oracle, and the results that it must not report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from polyjuice.compilers import find
from polyjuice.execution import Artifact, LoweringChoices, Outcome
from polyjuice.ir import Graph, TensorType
from polyjuice.numerics import SAFETY, Analysis, analyse
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import ORACLES, Case, InputSet, Program, Verdict, fault
from polyjuice.oracles.case import MISTYPED

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
    """x + x, or x * 2, by name."""
    b = GraphBuilder()
    x = b.input(TensorType(dtype, (4,)))
    other = x if op == "Add" else b.constant(np.full((4,), 2, dtype))
    return b.build([b.op(op, x, other)])


def ran(*outputs: np.ndarray, eager: Sequence[np.ndarray] | None = None) -> Outcome:
    return Outcome(status="ok", outputs=(outputs,), reference=None if eager is None else (tuple(eager),))


def case(x: np.ndarray, *sides: tuple[str, Graph, Outcome]) -> Case:
    programs = [
        Program(label=label, graph=graph, artifact=ARTIFACT, analyses=[analyse(graph, [x])], outcome=outcome)
        for label, graph, outcome in sides
    ]
    return Case(sets=[InputSet(profile="exact", arrays=(x,))], programs=programs)


def pair(
    x: np.ndarray, a: np.ndarray, b: np.ndarray, eager: Sequence[np.ndarray] | None = None, dtype: str = "float32"
) -> list[Verdict]:
    """The metamorphic oracle's verdicts on x + x and x * 2, which were compiled to give a and b."""
    sides = ("min", doubled("Add", dtype), ran(a, eager=eager)), ("max", doubled("Mul", dtype), ran(b, eager=eager))
    return ORACLES["metamorphic"].judge(case(x, *sides), ACCESS)


def analysed(reference: Sequence[float], bound: Sequence[float]) -> Analysis:
    return Analysis(VECTOR, np.array(reference), np.array(bound), False)


def bounded(a: Sequence[float], b: Sequence[float], bound: Sequence[float], eager: Sequence[float]) -> list[Verdict]:
    """Two sides with given results, and bounds around the reference (1, 1, 1, 1)."""
    tested = [
        Program(
            label=label,
            graph=doubled("Add"),
            artifact=ARTIFACT,
            analyses=[[analysed([1, 1, 1, 1], bound)]],
            outcome=ran(np.array(values, np.float32), eager=[np.array(eager, np.float32)]),
        )
        for label, values in (("min", a), ("max", b))
    ]
    return ORACLES["metamorphic"].judge(
        Case(sets=[InputSet(profile="normal", arrays=(np.ones(4, np.float32),))], programs=tested), ACCESS
    )


X = np.array([1, -2, 3, 0], np.float32)


# --- metamorphic: bitwise comparison ------------------------------------------------------------------------------


def test_equal_results_are_no_verdict() -> None:
    assert pair(X, 2 * X, 2 * X) == []


def test_bitwise_comparison_has_no_tolerance() -> None:
    off = 2 * X
    off[1] = np.nextafter(off[1], np.float32(0))
    (verdict,) = pair(X, off, 2 * X)
    assert (verdict.kind, verdict.comparison, verdict.culprit) == ("mismatch", "bitwise", "min")
    assert (verdict.a, verdict.b, verdict.inputs, verdict.output) == ("min", "max", 0, 0)
    assert verdict.allowed is not None
    assert verdict.allowed.tolist() == [0, 0, 0, 0]
    assert "1 of 4 elements" in verdict.message
    assert verdict.message == (
        "output 0 (float32[4]) differs: min is off by 2.38e-07 where the result is exact at 1 of 4 elements ([1]); "
        "at [1] it gives -3.99999976, and float64 -4; max gives -4.0"
    )


def test_plus_zero_equals_minus_zero_in_bitwise_comparison() -> None:
    negative = 2 * X
    negative[3] = -0.0
    assert pair(X, negative, 2 * X) == []


def test_large_integers_that_float64_cannot_tell_apart_differ() -> None:
    x = np.array([2**60, 1, 2, 3], np.int64)
    off = 2 * x
    off[0] += 1
    assert float(off[0]) == float(2 * x[0])
    (verdict,) = pair(x, 2 * x, off, dtype="int64")
    assert (verdict.comparison, verdict.culprit) == ("bitwise", "max")


def test_a_nan_on_one_side_is_a_mismatch() -> None:
    broken = 2 * X
    broken[2] = np.nan
    (verdict,) = pair(X, 2 * X, broken)
    assert verdict.culprit == "max"


def test_both_wrong_alike_is_no_metamorphic_verdict() -> None:
    assert pair(X, 2 * X + 1, 2 * X + 1) == []


def test_the_framework_being_as_wrong_is_no_verdict() -> None:
    assert pair(X, 2 * X + 1, 2 * X, eager=[2 * X + 1]) == []
    assert pair(X, 2 * X + 1, 2 * X, eager=[2 * X + 0.5])[0].culprit == "min"


# --- metamorphic: bounded comparison ----------------------------------------------------------------------------


def test_real_inputs_are_compared_within_the_bound_and_no_farther() -> None:
    x = np.array([0.1, -1.7, 3.3, 0.7], np.float32)
    bounds = [analyse(doubled(op), [x])[0] for op in ("Add", "Mul")]
    assert not any(b.reproducible for b in bounds)
    allowed = SAFETY * sum(b.bound for b in bounds)
    exact = 2 * x.astype(np.float64)
    inside, outside = exact.copy(), exact.copy()
    inside[0] += 0.9 * allowed[0]
    outside[0] += 1.5 * allowed[0]
    assert pair(x, inside, exact, eager=[exact]) == []
    (verdict,) = pair(x, outside, exact, eager=[exact])
    assert (verdict.comparison, verdict.culprit) == ("bounded", "min")
    np.testing.assert_allclose(verdict.allowed, allowed)


def test_blame_goes_to_the_side_farther_from_float64() -> None:
    (verdict,) = bounded([1, 1, 1, 1], [1, 1.5, 1, 1], [0.01] * 4, eager=[1, 1, 1, 1])
    assert verdict.culprit == "max"
    (verdict,) = bounded([1, 2.5, 3, 1], [1, 1, 1, 1.5], [0.01] * 4, eager=[1, 1, 1, 1])
    assert verdict.culprit == "min"


def test_a_side_within_its_bound_is_not_blamed() -> None:
    (verdict,) = bounded([1.015, 1, 1, 1], [0.5, 1, 1, 1], [0.01] * 4, eager=[1, 1, 1, 1])
    assert verdict.culprit == "max"


def test_a_reproducer_is_to_ignore_elements_that_no_one_is_to_blame_for() -> None:
    (verdict,) = bounded([1, 1.5, 1.5, 1], [1, 1, 1, 1], [0.01] * 4, eager=[1, 1.5, 1, 1])
    assert verdict.allowed is not None
    np.testing.assert_allclose(verdict.allowed, SAFETY * np.array([0.02, np.inf, 0.02, 0.02]))


def test_no_one_is_blamed_where_both_are_wrong_as_often() -> None:
    (verdict,) = bounded([1, 0.5, 1, 1], [1, 1.5, 1, 1], [0.01] * 4, eager=[1, 1, 1, 1])
    assert verdict.culprit == ""


def test_no_verdict_where_eager_errs_as_much() -> None:
    assert bounded([1, 1.5, 1, 1], [1, 1, 1, 1], [0.01] * 4, eager=[1, 1.5, 1, 1]) == []
    assert bounded([1, 1.5, 1, 1], [1, 1, 1, 1], [0.01] * 4, eager=[1, 1.25, 1, 1]) != []


def test_no_verdict_where_each_side_is_within_its_bound() -> None:
    assert bounded([1.019, 1, 1, 1], [0.981, 1, 1, 1], [0.01] * 4, eager=[1, 1, 1, 1]) == []


def test_masked_elements_are_ignored() -> None:
    wrong = [1, 99, np.nan, 1]
    assert bounded(wrong, [1, 1, 1, 1], [0.01, np.inf, np.inf, 0.01], eager=[1, 1, 1, 1]) == []
    (verdict,) = bounded(wrong, [1, 1, 1, 1], [0.01, np.inf, 0.01, 0.01], eager=[1, 1, 1, 1])
    assert "at 1 of 4 elements ([2]); at [2] it gives nan, and float64 1; max gives 1.0" in verdict.message
    assert verdict.allowed is not None
    assert verdict.allowed[1] == np.inf  # a reproducer ignores it, too


# --- metamorphic: the rest ------------------------------------------------------------------------------------


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
    b = GraphBuilder()
    x = b.input(VECTOR)
    graph = b.build([b.op("Neg", x), b.op("Abs", x)])
    sets = [[X], [X + 1]]
    right = tuple((-x, abs(x)) for (x,) in sets)
    wrong = (right[0], (right[1][0], right[1][1] + 1))
    tested = [
        Program(
            label=label,
            graph=graph,
            artifact=ARTIFACT,
            analyses=[analyse(graph, x) for x in sets],
            outcome=Outcome(status="ok", outputs=outputs),
        )
        for label, outputs in (("min", right), ("max", wrong))
    ]
    (verdict,) = ORACLES["metamorphic"].judge(
        Case(
            sets=[InputSet(profile="exact", arrays=sets[0]), InputSet(profile="normal", arrays=sets[1])],
            programs=tested,
        ),
        ACCESS,
    )
    assert (verdict.inputs, verdict.output, verdict.culprit) == (1, 1, "max")


def test_equal_mismatches_have_equal_signatures_whatever_their_values() -> None:
    first = pair(X, 2 * X + 1, 2 * X)[0].signature
    assert pair(X + 1, 2 * X + 9, 2 * X + 2)[0].signature == first
    x = np.array([1, 2, 3, 4], np.float64)
    assert pair(x, 2 * x + 1, 2 * x, dtype="float64")[0].signature != first
    assert "Add" in first
    assert "Mul" in first


# --- crash ----------------------------------------------------------------------------------------------------


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


def test_failures_that_differ_in_numbers_names_and_paths_have_one_signature() -> None:
    one = "KeyError: 'buf12' at /tmp/a/b.py:17 for 3 of 0x7ffe elements"
    two = "KeyError: 'buf7' at /home/c.py:9 for 25 of 0x12ab elements"
    first, second = (crashes(ran(2 * X), failed("error", text))[0].signature for text in (one, two))
    assert first == second
    assert "KeyError" in first
    others = [
        failed("error", "TypeError: 'buf12'"),
        failed("hang", one),
        failed("error", one, stage="run"),
    ]
    assert len({first, *(crashes(ran(2 * X), o)[0].signature for o in others)}) == 4


def traceback(*functions: str, lines: int = 7) -> str:
    return "\n".join(f'  File "torch/a.py", line {lines + n}, in {name}\n    code' for n, name in enumerate(functions))


def test_an_error_within_an_explanation_of_dynamo_is_reported_and_frames_of_cpp_are_not_taken_for_pythons() -> None:
    message = (
        "TorchRuntimeError: RuntimeError when making fake tensor call\n  Explanation: call_function gather(*(FakeTensor"
    )
    message += (
        "(...), 0)): got RuntimeError('Cannot call numel()\\nraised from x.cpp:340 (most recent call first):\\nframe #0"
    )
    text = f"{traceback('compile', 'get_fake_value', 'unimplemented')}\n{message}\nfrom user code:\n"
    text += '  File "<model>", line 11, in forward\n'
    (verdict,) = crashes(ran(2 * X), replace(failed("error", message), traceback=text))
    assert verdict.signature == (
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
    signatures = [
        crashes(ran(2 * X), replace(failed("error", "AssertionError: "), traceback=text))[0].signature
        for text in (
            python,
            traceback("call", "lower", "pad8", lines=30),
            caused,
            traceback("lower", "cat"),
            native,
            died,
        )
    ]
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


# --- differential ---------------------------------------------------------------------------------------------


def alone(x: np.ndarray, y: np.ndarray, eager: Sequence[np.ndarray] | None = None) -> list[Verdict]:
    """The differential oracle's verdicts on x + x, compiled to give y."""
    return ORACLES["differential"].judge(case(x, ("original", doubled("Add"), ran(y, eager=eager))), ACCESS)


def test_one_program_is_judged_against_float64() -> None:
    assert alone(X, 2 * X) == []
    off = 2 * X
    off[2] += 1
    (verdict,) = alone(X, off)
    assert (verdict.kind, verdict.a, verdict.b, verdict.culprit) == ("mismatch", "original", "", "original")
    assert verdict.expected is not None
    assert verdict.expected.tolist() == [2, -4, 6, 0]
    assert verdict.allowed is not None
    assert verdict.allowed.tolist() == [np.inf, np.inf, 0, np.inf]


def test_what_the_framework_is_off_by_too_is_no_differential_verdict() -> None:
    off = 2 * X
    off[2] += 1
    assert alone(X, off, eager=[off]) == []


def test_a_fault_that_both_variants_share_is_seen() -> None:
    wrong = 2 * X + 1
    sides = [("min", doubled("Add"), ran(wrong)), ("max", doubled("Mul"), ran(wrong))]
    verdicts = ORACLES["differential"].judge(case(X, *sides), ACCESS)
    assert [v.culprit for v in verdicts] == ["min", "max"]


# --- optlevel -------------------------------------------------------------------------------------------------


def at_levels(y: np.ndarray, **levels: Outcome) -> list[Verdict]:
    """The optlevel oracle's verdicts on x + x, which gives y at the default level."""
    return ORACLES["optlevel"].judge(case(X, ("min", doubled("Add"), ran(y))), FakeAccess(levels=levels))


def test_levels_that_agree_are_no_verdict() -> None:
    assert at_levels(2 * X, none=ran(2 * X), some=ran(2 * X)) == []


def test_the_level_that_differs_is_named_and_the_wrong_side_blamed() -> None:
    (verdict,) = at_levels(2 * X, none=ran(2 * X), some=ran(2 * X + 1))
    assert (verdict.kind, verdict.a, verdict.b, verdict.level) == ("mismatch", "min", "", "some")
    assert verdict.culprit == "min at level some"
    verdicts = at_levels(2 * X + 1, none=ran(2 * X), some=ran(2 * X))
    assert [(v.level, v.culprit) for v in verdicts] == [("none", "min"), ("some", "min")]


def test_a_failure_at_one_level_is_a_crash_there() -> None:
    (verdict,) = at_levels(2 * X, none=failed("error"), some=Outcome(status="unsupported"))
    assert (verdict.kind, verdict.level) == ("crash", "none")
    assert "min at level none does not compile" in verdict.message


def test_a_compiler_without_levels_is_refused() -> None:
    assert "has no optimization levels" in ORACLES["optlevel"].refusal(find("numpy"))
    assert ORACLES["optlevel"].refusal(find("onnxruntime")) == ""


# --- determinism ----------------------------------------------------------------------------------------------


def again(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> list[Verdict]:
    """The determinism oracle's verdicts on x + x, whose three runs gave these outputs."""
    access = FakeAccess(Outcome(status="ok", outputs=((second,), (third,))))
    return ORACLES["determinism"].judge(case(X, ("min", doubled("Add"), ran(first))), access)


def test_equal_runs_are_no_verdict() -> None:
    assert again(2 * X, 2 * X, 2 * X) == []


@pytest.mark.parametrize(("place", "word"), [(1, "second"), (2, "third")])
def test_a_run_that_differs_is_named(place: int, word: str) -> None:
    runs = [2 * X, 2 * X, 2 * X]
    runs[place] = 2 * X + np.array([0, 0, 1, 0], np.float32)
    (verdict,) = again(*runs)
    assert (verdict.kind, verdict.a, verdict.b) == ("nondeterministic", "min", "")
    assert f"at [2] the first run gives 6.0, the {word} 7.0" in verdict.message


# --- performance ----------------------------------------------------------------------------------------------


def timed(*seconds: float, peak: int = 0) -> Outcome:
    return Outcome(status="ok", times=seconds, peak=peak)


def larger() -> Graph:
    """-(-(x + x)): equal to x + x, with more operators."""
    b = GraphBuilder()
    x = b.input(VECTOR)
    return b.build([b.op("Neg", b.op("Neg", b.op("Add", x, x)))])


def measured(*outcomes: Outcome) -> list[Verdict]:
    """The performance oracle's verdicts on a small and a large program, measured in turns."""
    sides = ("min", doubled("Add"), ran(2 * X)), ("max", larger(), ran(2 * X))
    return ORACLES["performance"].judge(case(X, *sides), FakeAccess(*outcomes))


SLOW, FAST = timed(3e-3, 3.1e-3, 3.2e-3), timed(1e-3, 1e-3, 1.1e-3)


def test_a_simpler_program_that_is_slower_every_time_is_reported() -> None:
    (verdict,) = measured(*[SLOW, FAST] * 5)
    assert (verdict.kind, verdict.a, verdict.b, verdict.culprit) == ("slow", "min", "max", "min")
    assert verdict.message == ("min (1 operators) takes 3100 µs, 3.1 times as long as its equivalent max (3 operators)")


def test_one_round_in_which_it_is_not_settles_the_matter() -> None:
    assert measured(*[SLOW, FAST] * 4, FAST, FAST) == []


def test_a_larger_program_may_be_slower_and_noise_is_no_verdict() -> None:
    assert measured(FAST, SLOW) == []
    assert measured(timed(1e-3, 3e-3, 9e-3), timed(0.9e-3, 1e-3, 3e-3)) == []
    assert measured(timed(30e-6, 30e-6), timed(10e-6, 10e-6)) == []


def test_far_more_memory_is_reported() -> None:
    (verdict,) = measured(*[timed(1e-3, peak=2**28), timed(1e-3, peak=2**20)] * 5)
    assert verdict.kind == "memory"
    assert "256 MiB, 256.0 times as much as" in verdict.message
    assert measured(timed(1e-3, peak=2**22), timed(1e-3, peak=0)) == []


# --- gradient -------------------------------------------------------------------------------------------------


def differentiated(
    a: Sequence[float], b: Sequence[float], wide: Sequence[float] = (2, 2, 2, 2), beside: float = 0.0
) -> list[Verdict]:
    """The gradient oracle's verdicts on two programs, compiled to have gradients a and b. Eager has 2 everywhere."""
    plain = np.full(4, 2, np.float32)

    def outcomes(compiled: Sequence[float]) -> list[Outcome]:
        run = Outcome(status="ok", outputs=((np.array(compiled, np.float32),),), reference=((plain,),))
        at = np.array(wide, np.float64)
        return [run, Outcome(status="ok", reference=((at,), (at + beside,), (at - beside,)))]

    sides = ("min", doubled("Add"), ran(2 * X)), ("max", doubled("Mul"), ran(2 * X))
    return ORACLES["gradient"].judge(case(X, *sides), FakeAccess(*outcomes(a), *outcomes(b)))


def test_equal_gradients_are_no_verdict() -> None:
    assert differentiated([2, 2, 2, 2], [2, 2, 2, np.nextafter(np.float32(2), np.float32(3))]) == []


def test_the_side_with_the_wrong_gradient_is_blamed() -> None:
    (verdict,) = differentiated([2, 2, 2, 2], [2, 2, 5, 2])
    assert (verdict.kind, verdict.a, verdict.b, verdict.culprit) == ("mismatch", "min", "max", "max")
    assert (
        "the gradient with respect to input 0 differs at 1 of 4 elements; at [2] min gives 2.0, max gives 5.0"
        in verdict.message
    )


def test_gradients_at_a_kink_and_those_that_eager_has_wrong_are_not_judged() -> None:
    assert differentiated([2, 2, 2, 2], [2, 2, 5, 2], beside=1.0) == []
    assert differentiated([2, 2, 2, 2], [2, 2, 5, 2], wide=[2, 2, 5, 2]) == []


def test_a_compiler_that_is_not_torch_s_has_no_gradients() -> None:
    assert "torch" in ORACLES["gradient"].refusal(find("onnxruntime"))
    assert ORACLES["gradient"].refusal(find("inductor")) == ""


def test_a_wrong_element_type_is_another_fault_than_wrong_values() -> None:
    values = Verdict(
        oracle="differential", kind="mismatch", a="min", b="", message="", signature="", comparison="bitwise"
    )
    assert values.same_fault(replace(values, comparison="bounded"))
    assert not values.same_fault(replace(values, comparison=MISTYPED))


@pytest.mark.parametrize(("second", "faults"), [(5.0, 1), (6.0, 2)], ids=["the same", "another"])
def test_one_wrong_result_of_both_sides_is_one_fault(second, faults):
    x = np.array([1, 2, 3, 4], np.float32)
    wrong = [np.array([value, 4, 6, 8], np.float32) for value in (5.0, second)]
    both = case(x, ("min", doubled("Add"), ran(wrong[0])), ("max", doubled("Mul"), ran(wrong[1])))
    verdicts = ORACLES["differential"].judge(both, ACCESS)
    assert [v.culprit for v in verdicts] == ["min", "max"]
    assert len({fault(both, verdict) for verdict in verdicts}) == faults


def test_crashes_with_one_message_are_one_fault():
    failed = Outcome(status="error", stage="compile", message="ValueError: no such kernel")
    x = np.array([1, 2, 3, 4], np.float32)
    both = case(x, ("min", doubled("Add"), failed), ("max", doubled("Mul"), failed))
    assert len({fault(both, verdict) for verdict in ORACLES["crash"].judge(both, ACCESS)}) == 1


def test_a_wrong_output_that_is_not_the_first_still_shows() -> None:
    """If an input is written and returned, it is two results, and other oracles may name the second."""
    b = GraphBuilder()
    x = b.input(VECTOR)
    y = b.op("Add", x, x)
    graph, right, wrong = b.build([y, y, x]), 2 * X, 2 * X + 1
    judged = case(X, ("min", graph, ran(wrong, wrong, X, eager=[right, right, X])))
    (verdict,) = ORACLES["differential"].judge(judged, ACCESS)
    assert verdict.output == 0
    shows = [ORACLES["differential"].triggers(replace(verdict, output=k), judged, ACCESS) for k in range(4)]
    assert shows == [True, True, False, False]
