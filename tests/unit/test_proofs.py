"""Proofs of rules: the solver's model of every operator, the proved rules, and counterexamples of false rules."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from polyjuice.egraph import Rule, load
from polyjuice.generate import SolverMissing
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import TensorType, dtypes
from polyjuice.ops import TABLE, GraphBuilder, Op, complete_attrs
from polyjuice.rulecheck.proofs import prove
from tests.support.shares import in_share, in_the_long_run

z3 = pytest.importorskip("z3")

from polyjuice.rulecheck.proof_claims import OutOfScope  # noqa: E402
from polyjuice.rulecheck.proof_models import MODELS, Call, applied  # noqa: E402
from polyjuice.rulecheck.proof_numbers import (  # noqa: E402
    Bits,
    Exact,
    Ieee,
    Logic,
    Notes,
    Sort,
    python_value,
    rounded_to,
    simplest,
)

# --- the models and the interpreter -----------------------------------------------------------------------------------

OPS = {op.qualified: op for op in TABLE.values()}

#: Models that express an operator by another one, because it has no model of its own.
BY_OTHERS = {"aten.silu", "aten.log_sigmoid", "aten.tanhshrink"}

ELEMENTS = 8

SPECIAL = {
    "float": (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.25, 65504.0, 6e-8, -1e-3, np.inf, -np.inf, np.nan),
    "signed": (0, 1, -1, 2, -3, 5, 127, -128, 100, -7),
    "unsigned": (0, 1, 2, 3, 7, 127, 128, 255),
    "real": (0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -3.5, 4.0, 6.25, -0.125),
    "integer": (0, 1, -1, 2, -3, 5, 12, -20),
}


def machine_sort(dtype: str) -> Sort:
    if dtype == "bool":
        return Logic()
    if dtypes.is_float(dtype):
        return Ieee(dtype)
    return Bits(8 * dtypes.to_numpy(dtype).itemsize, dtype in dtypes.SIGNED)


def exact_sort(dtype: str) -> Sort:
    if dtype == "bool":
        return Logic()
    return Exact(integer=dtypes.is_int(dtype))


def draw(rng: random.Random, dtype: str, sort: Sort) -> np.ndarray:
    if dtype == "bool":
        return np.array([rng.random() < 0.5 for _ in range(ELEMENTS)])
    if isinstance(sort, Exact):
        kind = "integer" if sort.integer else "real"
    else:
        kind = "float" if dtypes.is_float(dtype) else "signed" if dtype in dtypes.SIGNED else "unsigned"
    return np.array([rng.choice(SPECIAL[kind]) for _ in range(ELEMENTS)]).astype(dtypes.to_numpy(dtype))


def compare(op: Op, dtype: str, exact: bool, rng: random.Random) -> bool:
    """Compare one application's model with the interpreter, element by element. Return False if none is comparable."""
    sort_of = exact_sort if exact else machine_sort
    first = TensorType(dtype, (ELEMENTS,))
    sample = op.sample(rng, first)
    assert sample is not None
    types = [first, *(TensorType(operand.type.dtype, first.shape) for operand in sample.operands)]
    attrs = complete_attrs(op, sample.attrs, dtype)
    builder = GraphBuilder()
    inputs = [builder.input(TensorType(t.dtype, (1,))) for t in types]
    graph = builder.build([builder.op(op.name, *inputs, domain=op.domain, **attrs)])
    result, scalars = sort_of(graph.output_types[0].dtype), Exact() if exact else Ieee("float64")
    numbers = next(i for i in range(len(types)) if op.variable(i) != "B")
    sorts = [sort_of(t.dtype) for t in types]
    arrays = [draw(rng, t.dtype, s) for t, s in zip(types, sorts, strict=True)]
    in_z3 = {k: scalars.number(v) if isinstance(v, float) else v for k, v in attrs.items()}
    seen = False
    for i in range(ELEMENTS):
        notes = Notes()
        x = [s.number(array[i].item()) for s, array in zip(sorts, arrays, strict=True)]
        value = applied(
            op.qualified, Call(x=x, sort=sorts[numbers], result=result, attrs=in_z3, scalars=scalars, notes=notes)
        )
        if notes.opaque or not all(holds(c) for c in (*notes.real, *notes.known)):
            continue
        if op.name == "copysign" and np.isnan(arrays[1][i]):
            continue  # the sign of a NaN
        case = f"{op.qualified} on {dtype} {[array[i] for array in arrays]} {attrs}"
        try:
            (wanted,) = evaluate(graph, [array[i : i + 1] for array in arrays], "float64" if exact else None)
        except EvaluationError:
            assert not all(map(holds, notes.defined)), case
            continue
        assert all(map(holds, notes.defined)), case
        got = float(python_value(known(value, notes), result))
        assert np.isclose(got, float(wanted[0]), rtol=1e-6 * exact, atol=1e-6 * exact, equal_nan=True), (
            f"{case}: {got}, {wanted}"
        )
        seen = True
    return seen


def holds(condition: object) -> bool:
    return z3.is_true(z3.simplify(condition))


def known(value: object, notes: Notes) -> object:
    """The value of an expression whose only variables are those that the notes define."""
    solver = z3.Solver()
    solver.add(notes.facts)
    assert solver.check() == z3.sat
    return solver.model().eval(value)


@pytest.mark.parametrize("applications", [1, *in_the_long_run(8)])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_agrees_with_the_interpreter(name: str, applications: int) -> None:
    op, rng = OPS[name], random.Random(name)
    accepted = op.types[op.variable(0)]
    machine = [t for t in ("bool", "int8", "uint8", "float16") if t in accepted] or [accepted[0]]
    if "float16" in machine and name in ("LeakyRelu", "aten.addcmul", "ThresholdedRelu"):
        machine.append("float32")
    mathematical = [t for t in ("int64", "float64") if t in accepted]
    seen = False
    for dtype, exact in [*((t, False) for t in machine), *((t, True) for t in mathematical)]:
        for _ in range(applications):
            try:
                seen |= compare(op, dtype, exact, rng)
            except OutOfScope:
                continue
    assert seen or name in BY_OTHERS


@pytest.mark.parametrize("to", ["bool", "int8", "uint8", "int16", "float16", "float32", "bfloat16"])
@pytest.mark.parametrize("source", ["bool", "int8", "uint8", "int16", "float16", "float32", "bfloat16"])
def test_a_cast_agrees_with_the_interpreter(source: str, to: str) -> None:
    values = draw(random.Random(f"{source} {to}"), source, machine_sort(source))
    builder = GraphBuilder()
    x = builder.input(TensorType(source, values.shape))
    graph = builder.build([builder.op("Cast", x, to=to)])
    with np.errstate(all="ignore"):
        (wanted,) = evaluate(graph, [values])
    a, b = machine_sort(source), machine_sort(to)
    for number, expected in zip(values, wanted, strict=True):
        notes = Notes()
        value = applied(
            "Cast", Call(x=[a.number(float(number))], sort=a, result=b, attrs={}, scalars=Ieee("float64"), notes=notes)
        )
        if all(map(holds, notes.known)):
            got = float(python_value(z3.simplify(value), b))
            assert np.isclose(got, float(expected), rtol=0, atol=0, equal_nan=True), (number, expected)


def test_a_float_that_was_widened_is_rounded_from_what_it_was() -> None:
    half, single, double = (Ieee(t) for t in ("float16", "float32", "float64"))
    x = single.variable("x")
    assert rounded_to(rounded_to(x, double), single).eq(x)
    assert rounded_to(rounded_to(x, double), half).eq(rounded_to(x, half))
    assert not rounded_to(rounded_to(x, half), single).eq(x)


def test_a_constant_stands_for_the_simplest_number_that_single_precision_cannot_tell_from_it() -> None:
    assert [str(simplest(v)) for v in (0.5, 0.1, 1 / 3, float(np.float32(1 / 6)), -2.0)] == [
        "1/2",
        "1/10",
        "1/3",
        "1/6",
        "-2",
    ]
    assert float(simplest(np.pi)) == np.pi


# --- the rules --------------------------------------------------------------------------------------------------------

#: The solver's effort for each question: quick for all rules, thorough for one.
QUICK, THOROUGH = 500_000, 50_000_000


@pytest.mark.parametrize(
    ("parts", "least"), [pytest.param(12, 8, id="some"), pytest.param(1, 50, id="all", marks=pytest.mark.long)]
)
def test_no_rule_is_refuted(parts: int, least: int, capsys: pytest.CaptureFixture[str]) -> None:
    proofs = {rule.name: prove(rule, QUICK) for rule in load() if in_share(rule.name, parts)}
    assert {name: proof.counterexample for name, proof in proofs.items() if proof.status == "refuted"} == {}
    counts = Counter(proof.status for proof in proofs.values())
    with capsys.disabled():
        print(f"\n{', '.join(f'{n} {status}' for status, n in counts.most_common())}")
    assert counts["proved"] >= least


def rule_of(tmp_path: Path, text: str) -> Rule:
    file = tmp_path / "one.egg"
    file.write_text(f'{text[:-1]} :name "one") ; one\n')
    (rule,) = load([file], defaults=False)
    return rule


TRUE = {
    "the absolute value of the least integer is itself": (
        "(rewrite (Abs (Neg x)) (Abs x) :ruleset exact)",
        ("int8", "int16", "int32", "float16"),
    ),
    "products of integers wrap around alike": (
        "(birewrite (Mul (Mul x y) z) (Mul x (Mul y z)) :ruleset modular)",
        ("int8", "uint8", "int16", "int32", "real"),
    ),
    "a proof by congruence": (
        "(rewrite (Exp (Add x y)) (Exp (Add y x)) :ruleset real)",
        ("real",),
    ),
    "a bound decides": (
        "(rewrite (Relu x) x :ruleset exact :when ((= l (lo x)) (<= 0.0 l)))",
        ("int8", "int16", "int32", "float16"),
    ),
    "a condition excludes a NaN": (
        "(rewrite (Mul x (Splat 0.0 s t)) (Splat 0.0 s t) :ruleset exact :when ((Finite x)))",
        ("int8", "uint8", "int16", "int32", "float16"),
    ),
    "a constant by its name": (
        "(rewrite (aten.bitwise_left_shift x n) (Add x x) :ruleset exact :when ((= n (Splat 1.0 s t))))",
        ("int8", "uint8", "int16", "int32"),
    ),
    "powers of two": (
        "(rewrite (Mul x (Splat v s t)) (aten.bitwise_left_shift x (Splat (to-f64 n) s t)) :ruleset exact"
        " :when ((Integer x) (= i (to-i64 v)) (> i 1) (= n (log2 i)) (= i (<< 1 n))))",
        ("int8", "uint8", "int16", "int32"),
    ),
    "a selection in two cases": (
        "(birewrite (Mul (Where c x y) z) (Where c (Mul x z) (Mul y z)) :ruleset exact)",
        ("int8", "uint8", "int16", "int32", "float16"),
    ),
    "a constant that is an integer in some types": (
        "(rule ((= e (Add x x)) (Integer x) (= s (shape x)) (= t (dtype x)))"
        " ((union e (Mul x (Splat 2.0 s t)))) :ruleset exact)",
        ("int8", "uint8", "int16", "int32"),
    ),
    "a wider type": (
        '(rewrite (Cast (Cast x u) t) x :ruleset exact :when ((= t (dtype x)) (Widens t u) (Integer x) (= u "int16")))',
        ("int8", "uint8"),
    ),
    "a bidirectional rule in a type of its own": (
        "(birewrite (And x y) (Not (Or (Not x) (Not y))) :ruleset exact)",
        ("bool",),
    ),
    "division of real numbers": (
        "(birewrite (Div x y) (Mul x (Reciprocal y)) :ruleset real :when ((Float x)))",
        ("real",),
    ),
    "a root, by its square": ("(rewrite (Sqrt (Mul x x)) (Abs x) :ruleset real)", ("real",)),
    "mathematical integers": (
        "(birewrite (Neg (Max2 x y)) (Min2 (Neg x) (Neg y)) :ruleset real)",
        ("integer", "real"),
    ),
}


@pytest.mark.parametrize("claim", TRUE)
def test_a_true_rule_is_proved(claim: str, tmp_path: Path) -> None:
    text, domains = TRUE[claim]
    proof = prove(rule_of(tmp_path, text), THOROUGH)
    assert (proof.status, proof.domains) == ("proved", domains), proof


FALSE = {
    "subtraction commutes": ("(rewrite (Sub x y) (Sub y x) :ruleset real)", "x = "),
    "addition of floats is associative": (
        "(rewrite (Add (Add x y) z) (Add x (Add y z)) :ruleset exact)",
        "float16: x = ",
    ),
    "the least integer has a negative": (
        "(rewrite (Neg (Max2 x y)) (Min2 (Neg x) (Neg y)) :ruleset exact)",
        "int8: x = ",
    ),
    "zero times infinity": (
        "(rewrite (Mul x (Splat 0.0 s t)) (Splat 0.0 s t) :ruleset exact)",
        "left = nan, right = 0.0",
    ),
    "a root loses the sign": ("(rewrite (Sqrt (Mul x x)) x :ruleset real)", "real: x = -"),
    "a NaN is neither less nor not": (
        "(birewrite (Not (Less x y)) (LessOrEqual y x) :ruleset exact)",
        "nan",
    ),
    "integer division truncates": (
        "(rewrite (Div (Mul x y) z) (Mul x (Div y z)) :ruleset real)",
        "integer: ",
    ),
    "an integer is divided by zero": (
        "(rewrite (Sub x (Abs y)) (Sub (Div (Mul x y) y) (Abs y)) :ruleset real)",
        "right = no value",
    ),
    "a number is divided by zero": (
        "(rule ((= e (Abs x)) (Float x) (= f (Abs y))) ((union e (Abs (Div (Mul x y) y)))) :ruleset real)",
        "right = nan",
    ),
    "a root of a negative number": (
        '(rule ((Site "one" x) (Float x)) ((union x (Mul (Sqrt x) (Sqrt x)))) :ruleset real)',
        "right = nan",
    ),
    "a constant that the type cannot hold": (
        "(rule ((= e (Sub x y)) (= s (shape x)) (= t (dtype x)))"
        " ((union e (Add x (Mul y (Splat -1.0 s t))))) :ruleset modular)",
        "uint8: x = 0, y = 0, left = 0, right = no value",
    ),
    "a comparison of signed integers": (
        "(rewrite (Less x y) (aten.signbit (Sub x y)) :ruleset exact :when ((Integer x)))",
        "int8: x = ",
    ),
    "a bound that does not decide": (
        "(rewrite (Max2 x y) x :ruleset real :when ((>= (hi x) (hi y))))",
        "integer: (hi x) = ",
    ),
    "a narrow type in between": (
        "(rewrite (Cast (Cast x u) t) x :ruleset exact :when ((= t (dtype x)) (Widens u t)))",
        "left = ",
    ),
    "attributes in any order": (
        "(rewrite (Clip x a b) (Min2 (Max2 x (Splat b s t)) (Splat a s t)) :ruleset real"
        " :when ((= s (shape x)) (= t (dtype x))))",
        "a = ",
    ),
}


@pytest.mark.parametrize("claim", FALSE)
def test_a_false_rule_is_refuted(claim: str, tmp_path: Path) -> None:
    text, message = FALSE[claim]
    proof = prove(rule_of(tmp_path, text), THOROUGH)
    assert proof.status == "refuted", proof
    assert message in proof.counterexample
    assert "\n" not in proof.counterexample


OUT_OF_SCOPE = {
    "Transpose is not elementwise": "(rewrite (Transpose (Neg x) p) (Neg (Transpose x p)) :ruleset exact)",
    "it depends on the meaning of Exp": "(rewrite (Exp (Add x y)) (Mul (Exp x) (Exp y)) :ruleset real)",
    "floating remainders": "(rewrite (aten.fmod x y) (Mod x y 1) :ruleset exact :when ((Float x)))",
    "nothing satisfies its conditions": "(rewrite (Abs x) (Neg x) :ruleset real :when ((Negative x) (Positive x)))",
    "it does more than unite terms": "(rule ((= e (Abs x))) ((Finite e)) :ruleset exact)",
}


@pytest.mark.parametrize("reason", OUT_OF_SCOPE)
def test_what_the_solver_cannot_say_is_out_of_scope(reason: str, tmp_path: Path) -> None:
    proof = prove(rule_of(tmp_path, OUT_OF_SCOPE[reason]))
    assert (proof.status, proof.domains, proof.reason) == ("out of scope", (), reason)


def test_what_takes_too_long_is_unknown(tmp_path: Path) -> None:
    text = "(rewrite (Div (Mul x y) y) x :ruleset exact :when ((Float x) (NonZero y)))"
    proof = prove(rule_of(tmp_path, text.replace("(Mul x y) y) x", "x y) (Div (Mul x (Neg y)) (Mul (Neg y) y))")), 1)
    assert proof.status == "unknown"
    assert "the solver found no answer with the effort 1 in float16" in proof.reason


def test_a_missing_solver_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    for name in ("proof_search", "proof_models", "proof_numbers"):
        monkeypatch.delitem(sys.modules, f"polyjuice.rulecheck.{name}", raising=False)
    with pytest.raises(SolverMissing, match=r"^proofs of rules need z3: pip install 'polyjuice-fuzzer\[smt\]'$"):
        prove(load(only=["neg-neg"])[0])
