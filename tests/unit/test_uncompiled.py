"""Programs against their own uncompiled run, on the owner's inputs: the decided cases, and the undecided ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from onnx import parser

from polyjuice import pipeline
from polyjuice.compilers import find
from polyjuice.execution import Artifact, LoweringChoices, Outcome
from polyjuice.frameworks.onnx import user_program as onnx_program
from polyjuice.inputs import mode
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType
from polyjuice.ir.dtypes import to_numpy
from polyjuice.numerics import Analyses
from polyjuice.oracles import ORACLES, Case, InputSet, Program, Verdict, uncompiled
from polyjuice.session import CompilerSession, Conditions
from tests.support.graphs import apply, graph
from tests.support.sessions import Refusing

NAN, INF = np.nan, np.inf

F, I = "float[4]", "int32[4]"


def blamed(signature: str, body: str, inputs: Sequence[np.ndarray], answer: object, profile: str) -> bool:
    """Whether the oracle calls an answer of a program of ONNX wrong."""
    tested = user_program(f'"" : 17]> g {signature} {{ {body} }}', inputs, answer, profile)
    return bool(ORACLES["differential"].judge(tested, Refusing([])))


def user_program(text: str, inputs: Sequence[np.ndarray], answer: object, profile: str) -> Case:
    program = onnx_program.from_model(parser.parse_model(f"<ir_version: 8, opset_import: [{text}"))
    dtype = to_numpy(program.graph.output_types[0].dtype)
    tested = Program(
        label="original",
        graph=program.graph,
        artifact=program.artifact,
        analyses=Analyses(program.graph, [tuple(inputs)], [mode(profile, "onnx")]),
        outcome=Outcome(status="ok", outputs=((np.array(answer).astype(dtype),),)),
        user_program=True,
    )
    return Case(sets=[InputSet(profile=profile, arrays=tuple(inputs))], programs=[tested])


class Optimizing(CompilerSession):
    """A compiler that is right at its lowest level, where it doubles the input."""

    def __init__(self) -> None:
        super().__init__(Conditions(), replace(find("numpy"), levels=("low", "high")))

    def execute(self, artifact: Artifact, inputs: Any, *, level: str = "", compile: bool = True) -> Outcome:
        assert level == "low"
        assert all(x.dtype == np.float32 for arrays in inputs for x in arrays)
        return Outcome(status="ok", outputs=tuple((2 * x,) for (x,) in inputs))


@pytest.mark.parametrize(("answer", "wrong"), [([2, 4, -6, 8], False), ([2, 4.1, -6, 8], False), ([2, 4, 0, 8], True)])
def test_an_operator_that_onnx_does_not_know_is_held_against_the_lowest_level(
    answer: Sequence[float], wrong: bool
) -> None:
    """Only large differences count, because the effect of rounding is unknown."""
    text = '"" : 17, "com.microsoft" : 1]> g (float[4] x) => (float[4] y) { y = com.microsoft.Doubled(x) }'
    tested = user_program(text, (np.float32([1, 2, -3, 4]),), answer, "given")
    assert bool(ORACLES["differential"].judge(tested, Optimizing())) == wrong


NAN_OF_TWO = f"({F} a, {F} b) => ({F} y)", "y = Max(a, b)", [np.float32([NAN, 1, -2, 3]), np.float32([1, NAN, 3, -4])]


def test_the_greater_of_nan_and_a_number_is_what_the_uncompiled_run_gives() -> None:
    assert not blamed(*NAN_OF_TWO, [NAN, NAN, 3, 3], "given edge")
    assert blamed(*NAN_OF_TWO, [NAN, 1, 3, 3], "given edge")


def test_of_a_model_with_inputs_only_these_are_judged_so() -> None:
    text, inputs = f'"" : 17]> g {NAN_OF_TWO[0]} {{ {NAN_OF_TWO[1]} }}', NAN_OF_TWO[2]
    tested = user_program(text, inputs, [NAN, 1, 3, 3], "normal")
    own = replace(tested, sets=[*tested.sets, InputSet(profile="given", arrays=())])
    assert ORACLES["differential"].judge(tested, Refusing([]))
    assert "owner" in uncompiled.silent(own, own.programs[0], 0, 0, find("onnxruntime"))


def test_a_result_whose_shape_depends_on_data_is_held_against_the_uncompiled_run() -> None:
    found = f"({F} x) => (int64[1, 4] y)", "y = NonZero(x)", [np.float32([0, 1, 0, 2])]
    assert not blamed(*found, [[1, 3]], "normal")
    assert blamed(*found, [[1, 2]], "normal")
    assert blamed(*found, [[1]], "normal")


WHERE = f"({F} x) => ({F} y) <float[4] m = {{0, -inf, 0, 0}}>", "s = Add(x, m) y = Softsign(s)"


def test_a_bare_file_is_judged_on_drawn_inputs() -> None:
    """An infinity of the model itself, on which the interpreter leaves the result open, and edge inputs."""
    x = [np.float32([1, 2, -3, 4])]
    right = evaluate(user_program(f'"" : 17]> g {WHERE[0]} {{ {WHERE[1]} }}', x, 0, "normal").programs[0].graph, x)[0]
    assert not blamed(*WHERE, x, right, "normal")
    assert blamed(*WHERE, x, [0.5, 7, -0.75, 0.8], "normal")
    assert not blamed(*WHERE, x, [0.5, 7, -0.75, 0.8], "edge")  # several operators


@pytest.mark.parametrize(
    ("signature", "body", "x", "answer"),
    [
        pytest.param(f"({F} x) => ({I} y)", "y = Cast<to = 6>(x)", [NAN, 1, 2, 3], [0, 1, 2, 3], id="a cast of NaN"),
        pytest.param(f"({I} x) => ({I} y) <int32 m = {{-1}}>", "y = Div(x, m)", [-(2**31), 1, 2, 3], [0, -1, -2, -3],
                     id="an overflow"),
        pytest.param("(double[4] x) => (double y)", "y = ReduceSum<keepdims = 0>(x)", [1e308, 1e308, -1e308, -1e308],
                     0, id="sums near the end of the type"),
        pytest.param(f"({F} x) => ({F} y) <float lowest = {{1}}>", "y = Clip(x, lowest)", [INF, 0, 2, 3],
                     [3.4e38, 1, 2, 3], id="a clip of infinity without an upper bound"),
        pytest.param(f"({I} x) => (uint8[4] y) <float s = {{0.4}}, uint8 z = {{0}}>",
                     "f = Cast<to = 1>(x) y = QuantizeLinear(f, s, z)", [1, 3, 5, 7],
                     [3, 8, 13, 18], id="a rounding of what integers make"),
        pytest.param(f"({F} x) => (int8[4] y) <float s = {{0}}, int8 z = {{0}}>", "y = QuantizeLinear(x, s, z)",
                     [1, 2, -3, 0.5], [0, 0, 0, 0], id="a quotient by a scale of 0"),
        pytest.param(f"({F} x) => (uint8[4] y)", "y, s, z = DynamicQuantizeLinear(x)", [0, 0, 0, 0], [255] * 4,
                     id="a quotient by the scale of zeros"),
    ],
)  # fmt: skip
def test_what_is_left_open_is_not_judged(signature: str, body: str, x: Sequence[float], answer: object) -> None:
    dtype = {"(float": np.float32, "(int32": np.int32, "(double": np.float64}[signature.split("[")[0]]
    assert not blamed(signature, body, [np.array(x).astype(dtype)], answer, "given edge")


ROW = {"axes": (1,), "keepdims": 0}


CEILED = {"sizes": (6,), "mode": "nearest", "nearest_mode": "round_prefer_ceil"}


FLOORED = {"sizes": (12,), "scales": (1.1,), "mode": "nearest", "nearest_mode": "floor"}


def test_what_the_reference_evaluator_gets_wrong_is_not_judged() -> None:
    """The evaluator treats NaN in a window of AveragePool as padding."""
    signature, body = "(float[1,1,4] x) => (float[1,1,3] y)", "y = AveragePool<kernel_shape = [2]>(x)"
    inputs = [np.float32([[[1, NAN, 3, 4]]])]
    assert not blamed(signature, body, inputs, [[[NAN, NAN, 3.5]]], "given edge")


class Eager(CompilerSession):
    def __init__(self, graph: Graph, compiler: str = "numpy") -> None:
        super().__init__(Conditions(), find(compiler))
        self.graph = graph
        self.runs = 0

    def execute(self, artifact: Artifact, inputs: Any, *, level: str = "", compile: bool = True) -> Outcome:
        assert not compile
        self.runs += 1
        precision = "float64" if artifact.setup.get("wide") else None
        return Outcome(status="ok", reference=tuple(tuple(evaluate(self.graph, x, precision)) for x in inputs))


def generated(
    dtype: str, op: str, x: Sequence[float], answer: Sequence[float], format: str = "torch", profile: str = "edge"
) -> bool:
    """Whether the oracle calls an answer of ``op(x) + x`` in a generated program wrong."""
    made = graph(f"{dtype}[4] x", f"Add({op}(x), x)")
    inputs, session = (np.array(x).astype(to_numpy(dtype)),), Eager(made)
    assert not judged(made, inputs, evaluate(made, inputs), profile, session, format)
    assert not session.runs, "what agrees with the uncompiled run is not run again"
    return is_uncompiled(judged(made, inputs, [answer], profile, session, format))


def is_uncompiled(verdicts: Sequence[Verdict]) -> bool:
    return any(verdict.comparison == "uncompiled" for verdict in verdicts)


def test_what_frameworks_differ_in_is_judged_in_generated_programs_of_torch() -> None:
    """Torch's own kernel decides the sign of NaN."""
    answer = [0.0, 2.0, -3.0, 4.0]
    assert generated("float32", "Sign", [NAN, 1.0, -2.0, 3.0], answer)
    assert not generated("float16", "Sign", [NAN, 1.0, -2.0, 3.0], answer), "half types round on the way"
    assert not generated("float32", "Sign", [NAN, 1.0, -2.0, 3.0], answer, "onnx"), "ONNX has no run of its own"


def two_operands(op: str, x: np.ndarray, y: np.ndarray, answer: Sequence[float]) -> bool:
    """Whether the oracle calls an answer of one ATen operator in a generated Torch program wrong."""
    made = apply(f"aten.{op}", *(TensorType(array.dtype.name, array.shape) for array in (x, y)))
    return is_uncompiled(judged(made, [x, y], [answer], "normal", Eager(made)))


@pytest.mark.parametrize(("compiler", "is_judged"), [("inductor", True), ("torch-onnx", False)])
def test_the_order_of_equal_elements_counts_unless_the_compiler_has_a_policy(compiler: str, is_judged: bool) -> None:
    made, x = apply("TopK", "float32[3]", axis=0, k=2), np.float32([5, 1, 5])
    answer = [[5, 5], [2, 0]]
    assert is_uncompiled(judged(made, [x], answer, "normal", Eager(made, compiler))) == is_judged


def test_shifts_by_the_width_and_quotients_next_to_an_integer_are_judged() -> None:
    """C++ leaves such a shift undefined, but Torch does not: its result has no bit of the number."""
    x, amounts = np.int64([1000, -3, 5]), np.int64([64, 65, 1])
    assert two_operands("bitwise_left_shift", x, amounts, [1000, 0, 10])
    assert not two_operands("bitwise_left_shift", x, amounts, [0, 0, 10])
    quotients = np.float32([1.0, 0.5, 6.0]), np.float32([0.1, 0.1, 0.2])
    assert two_operands("floor_divide", *quotients, [10, 5, 30])
    assert not two_operands("floor_divide", *quotients, [9, 4, 29])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_result_is_judged_by_the_part_on_which_it_depends(dtype: str) -> None:
    """Other parts of the program, as half types or an interpolation of NaN, do not make the result less certain."""
    resized = "aten.upsample_bilinear2d(other, align_corners=0, output_size=(1, 1))"
    made = graph(f"float32[4] x; {dtype}[1,1,1,3] other", f"Add(Sign(x), x), {resized}")
    inputs = (np.array([NAN, 1, -2, 3], np.float32), np.array([NAN, 1, NAN], dtype).reshape(1, 1, 1, 3))
    sign, interpolated = evaluate(made, inputs)

    def wrong(*outputs: object) -> list[int]:
        return [verdict.output for verdict in judged(made, inputs, outputs, "edge", Eager(made))]

    assert wrong([0, 2, -3, 4], interpolated) == [0]
    assert wrong(sign, np.full_like(interpolated, NAN)) == [], "a neighbour of weight 0"


@pytest.mark.parametrize("x", [-np.inf, -0.0])
def test_a_root_of_what_powers_take_otherwise_is_left_open(x: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """x ** -0.5 is 0 for -inf, and inf for -0.0. The reciprocal root is NaN for -inf, and -inf for -0.0."""
    program = "float32", "aten.rsqrt", [x, 1.0, 4.0, 9.0], [0.0, 2.0, 4.5, 9.333333]
    assert not generated(*program)
    others = {reason: rule for reason, rule in uncompiled._OPEN.items() if not reason.startswith("unsettled")}
    monkeypatch.setattr(uncompiled, "_OPEN", others)
    assert generated(*program)


VARIANCE = {"dim": (0,), "correction": 0, "keepdim": 0}


@pytest.mark.parametrize(
    ("op", "arrays", "attrs", "is_open"),
    [
        # Torch's own kernel gives NaN if an infinity comes before the last element. A sum gives the infinity.
        ("aten.var_mean", ([INF, 1.0, 4.0],), VARIANCE, True),
        ("aten.var_mean", ([2.0, 1.0, 4.0],), VARIANCE, False),
        ("aten.var", ([INF, 1.0, 4.0],), VARIANCE, False),
        ("aten.copysign", ([1.0, 2.0], [NAN, 3.0]), {}, True),  # the sign of NaN
        ("aten.copysign", ([1.0, 2.0], [-1.0, 3.0]), {}, False),
        ("BatchNormalization", ([[1.0], [1.0]], [1.0], [0.0], [0.5], [-INF]), {}, True),  # -inf has no root
        ("BatchNormalization", ([[1.0], [1.0]], [1.0], [0.0], [0.5], [2.0]), {}, False),
    ],
)
def test_what_kernels_of_torch_decide_otherwise_is_left_open(
    op: str, arrays: Sequence[Any], attrs: dict[str, Any], is_open: bool
) -> None:
    inputs = list(map(np.float32, arrays))
    made = apply(op, *(TensorType("float32", x.shape) for x in inputs), **attrs)
    program = pipeline.prepare("original", made, Artifact(format="torch", source=""), [])
    assert uncompiled._is_unsettled(program, inputs) == is_open


@pytest.mark.parametrize("extreme", [1e30, 1e-30])
def test_numbers_at_the_ends_of_their_type_leave_a_generated_program_unjudged(extreme: float) -> None:
    assert not generated("float32", "Sign", [NAN, 1.0, -2.0, extreme], [0.0, 2.0, -3.0, extreme])


def alone(op: str, inputs: Sequence[np.ndarray], answer: object, profile: str = "edge", **attrs: Any) -> bool:
    """Whether the oracle calls an answer of one operator in a generated ONNX program wrong."""
    made = apply(op, *(TensorType(x.dtype.name, x.shape) for x in inputs), **attrs)
    assert not judged(made, inputs, evaluate(made, inputs), profile, Refusing([]), "onnx")
    verdicts = judged(made, inputs, [answer], profile, Refusing([]), "onnx")
    assert all(verdict.alone for verdict in verdicts if verdict.comparison == "uncompiled")
    return is_uncompiled(verdicts)


HALF = np.float16


@pytest.mark.parametrize(
    ("op", "inputs", "answer", "attrs"),
    [
        pytest.param("Max", [HALF([NAN, 1, -2]), HALF([1, NAN, 3])], [NAN, 1, 3], {}, id="a half and NaN"),
        pytest.param("Resize", [np.arange(20, dtype=np.float32)], [1, 5, 8, 11, 14, 18], CEILED, id="a tie"),
        pytest.param("Relu", [np.float32([NAN, 1, -2])], [0, 1, 0], {}, id="an activation of NaN"),
        pytest.param("ReduceMax", [np.float32([[7, NAN, -2], [1, 2, 3]])], [7, 3], ROW, id="a maximum with NaN"),
        pytest.param("ReduceLogSumExp", [np.float32([[1, INF, 2]])], [NAN], ROW, id="an infinity of one operand"),
    ],
)
def test_one_operator_is_judged_on_edge_values_in_every_format(
    op: str, inputs: Sequence[np.ndarray], answer: object, attrs: Any
) -> None:
    assert alone(op, inputs, answer, **attrs)
    assert not alone(op, inputs, answer, "normal", **attrs)


@pytest.mark.parametrize(
    ("op", "inputs", "answer", "attrs"),
    [
        pytest.param("ArgMax", [np.float32([1, NAN, 3])], [2], {"axis": 0}, id="the place of NaN"),
        pytest.param("Resize", [np.float32([1, NAN, 3])], [NAN] * 3, {"sizes": (3,), "mode": "linear"},
                     id="a neighbour of weight 0"),
        pytest.param("Resize", [np.arange(11, dtype=np.float32)], [0, *range(11)],
                     FLOORED | {"coordinate_transformation_mode": "asymmetric"}, id="a place by a rounded factor"),
        pytest.param("ReduceProd", [np.int32([2**20, 2**20])], [2**31 - 1], {"axes": (0,)}, id="an overflow"),
        pytest.param("BatchNormalization",
                     [np.float32([[1, 2]]), *(np.float32(x) for x in ([1, 1], [0, 0], [INF, 0], [1, 1]))], [[NAN, 2]],
                     {}, id="an infinity that another order of computation lacks"),
    ],
)  # fmt: skip
def test_what_one_operator_leaves_open_is_not_judged(
    op: str, inputs: Sequence[np.ndarray], answer: object, attrs: Any
) -> None:
    assert not alone(op, inputs, answer, **attrs)


def other_zeros(op: str, x: Sequence[float], answer: Sequence[float], profile: str = "edge") -> bool:
    """Whether an answer of ``op(x) + zeros_like(x)`` in a program of Torch has zeros of the wrong sign."""
    made = graph("float32[4] x", f"Add({op}(x), aten.zeros_like(x))")
    verdicts = judged(made, [np.float32(x)], [answer], profile, Eager(made))
    assert all(verdict.comparison == "zeros" for verdict in verdicts)
    return bool(verdicts)


def test_the_sign_of_a_zero_counts_where_the_operators_decide_it() -> None:
    """The sum of -0.0 and 0.0 is 0.0."""
    assert other_zeros("Ceil", [-0.5, -0.1, 2.5, 1.0], [-0.0, -0.0, 3, 1])
    assert not other_zeros("Ceil", [-0.5, -0.1, 2.5, 1.0], [0.0, 0.0, 3, 1])
    assert not other_zeros("Ceil", [-0.5, -0.1, 2.5, 1.0], [-0.0, -0.0, 3, 1], "normal")
    assert not other_zeros("Relu", [-0.5, -0.1, 2.5, 1.0], [-0.0, -0.0, 2.5, 1]), "a comparison takes either zero"
    assert not other_zeros("Mean", [-0.5, -0.0, 2.5, 1.0], [-0.5, -0.0, 2.5, 1]), "a sum begins with either"


def test_a_zero_that_other_inputs_do_not_give_has_no_sure_sign() -> None:
    assert not other_zeros("Log", [1.0, 2.5, 3.0, 4.0], [-0.0, *np.log([2.5, 3, 4])])


def judged(
    made: Graph, inputs: Sequence[np.ndarray], outputs: Sequence[Any], profile: str, session: CompilerSession,
    format: str = "torch",
) -> list[Verdict]:  # fmt: skip
    """The oracle's verdicts on the outputs of a generated program. Eager sessions give the uncompiled run, too."""
    one = InputSet(profile=profile, arrays=tuple(inputs), mode=mode(profile, format))
    program = pipeline.prepare(
        "min", made, pipeline.lower(made, LoweringChoices(), pipeline.Target(format=format)), [one]
    )
    right = tuple(evaluate(made, inputs))
    given = tuple(np.array(output).astype(due.dtype) for output, due in zip(outputs, right, strict=True))
    reference = (right,) if isinstance(session, Eager) else None
    tested = replace(program, outcome=Outcome(status="ok", outputs=(given,), reference=reference))
    return ORACLES["differential"].judge(Case(sets=[one], programs=[tested]), session)
