"""Findings of ONNX Runtime 1.15.0 and 1.20.1 and of Torch 2.15.0 with one or several root causes, judged by hand."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice.execution import Artifact, Outcome
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.oracles.case import Program
from polyjuice.oracles.failures import failure_of
from polyjuice.triage.causes import KnownCulprit, cause_of, narrow, pattern
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.stored import load

FINDING = Path(__file__).parents[1] / "findings/split-uneven"

PATTERN, REUSE = "setting enable_mem_pattern", "setting enable_mem_reuse"
PROPAGATION, SELECTION = "QDQPropagationTransformer", "QDQSelectorActionTransformer"
TRANSPOSE = ("TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider")


def finding(kind: str = "mismatch", **changes: Any) -> FindingRecord:
    plain = replace(load(FINDING).record, kind=kind, a="min", b="", culprit="min", blame=(), bisection={}, cause="")
    return replace(plain, **{"reduction": {"finished": True}, "repro_exit": 1, **changes})


def program(*operators: str) -> Graph:
    """A chain of operators on one value."""
    build = GraphBuilder()
    value = build.input(TensorType("float16", (2,)))
    for operator in operators:
        value = build.op(operator, value)
    return build.build([value])


def of_error(operator: str, error: str) -> str:
    """The cause of a finding without a blamed part: a program of one operator does not load."""
    graph = program(operator)
    outcome = Outcome(status="error", stage="compile", message=error)
    verdict = failure_of(
        "crash",
        Program(
            label="min",
            graph=graph,
            artifact=Artifact(format="onnx", source=b"", arrays={}),
            analyses=[],
            outcome=outcome,
        ),
    )
    return cause_of(finding("crash", signature=verdict.signature, pattern=pattern([graph], [])), {"min": graph}, ())


def reported(
    kind: str,
    signature: str,
    blame: tuple[str, ...],
    *alternatives: tuple[str, ...],
    of: tuple[str, ...] = ("Transpose",),
    wrong: str = "wrong values",
    compiler: str = "onnxruntime",
) -> dict[str, Any]:
    """The content of ``finding.json`` after bisection."""
    record = finding(
        kind,
        signature=signature,
        compiler=compiler,
        blame=blame,
        pattern=of,
        wrong=wrong,
        bisection={"alternatives": alternatives},
    )
    return asdict(replace(record, cause=cause_of(record, {"min": program("Abs")}, blame)))


def culprit(of: dict[str, Any]) -> KnownCulprit:
    return KnownCulprit.of(of, of["cause"])


# --- errors ---------------------------------------------------------------------------------------------------

UNRECOGNIZED = (
    'This is an invalid model. In Node, ("", {0}, "", -1) : ("x0": tensor({1}),) -> ("_0x55981bfac070_X_{0}",) , '
    "Error Unrecognized attribute: axes for operator {0}"
)


def test_a_check_that_fails_for_what_the_compiler_makes_of_operators_is_one_cause() -> None:
    """The compiler replaces Softmax and LayerNormalization by bodies of an older opset, also within an If."""
    status = "InvalidGraph: [ONNXRuntimeError] : 10 : INVALID_GRAPH : "
    around = "Fail: [ONNXRuntimeError] : 1 : FAIL : Node () Op (If) [TypeInferenceError] "
    around += "Graph attribute inferencing failed: "
    softmax = UNRECOGNIZED.format("ReduceMax", "float16")
    causes = {
        of_error("Softmax", status + softmax),
        of_error("Softmax", around + softmax),
        of_error("Erf", status + UNRECOGNIZED.format("ReduceMean", "float")),
    }
    assert len(causes) == 1
    assert of_error("Softmax", status + softmax.replace("axes", "keepdims")) not in causes


def test_where_the_operator_is_the_programs_own_it_counts() -> None:
    status = "InvalidGraph: [ONNXRuntimeError] : 10 : INVALID_GRAPH : "
    softmax, erf = (of_error(op, status + UNRECOGNIZED.format(op, "float")) for op in ("Softmax", "Erf"))
    assert softmax != erf
    running = (
        "Fail: [ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running {} node. Name:'' Status"
    )
    assert of_error("Softmax", running.format("ReduceMax")) != of_error("Softmax", running.format("Exp"))


# --- parts ----------------------------------------------------------------------------------------------------


def test_what_fails_by_a_setting_fails_by_wrong_values() -> None:
    """Buffers that overlap from the second run on give wrong values, and indices out of range."""
    gather = "crash run indices element out of data bounds | in run, run"
    assert reported("crash", gather, (PATTERN,))["cause"] == reported("mismatch", "", (PATTERN,))["cause"]
    assert reported("crash", gather, (REUSE,))["cause"] != reported("mismatch", "", (PATTERN,))["cause"]
    assert reported("crash", gather, ("GatherToSliceFusion",))["cause"].startswith(gather)
    coarse = culprit(reported("crash", gather, (REUSE,)))
    assert not coarse.may_account_for(reported("crash", gather, ()))
    assert not coarse.accounts_for(reported("crash", gather, (PATTERN,), (REUSE,)))


def test_a_part_accounts_for_what_it_shows_while_others_that_show_the_same_are_off() -> None:
    """Two optimizers put nodes around Transpose(DequantizeLinear(x)) of int32, and these saturate."""
    alone = culprit(reported("mismatch", "", (PROPAGATION,)))
    assert alone.accounts_for(reported("mismatch", "", (PROPAGATION, *TRANSPOSE)))
    assert not alone.accounts_for(reported("mismatch", "", TRANSPOSE))
    assert not alone.accounts_for(reported("crash", "crash compile no", (PROPAGATION, *TRANSPOSE)))
    assert not culprit(reported("mismatch", "", (PROPAGATION, *TRANSPOSE))).accounts_for(
        reported("mismatch", "", (PROPAGATION,))
    )


def test_a_part_accounts_for_no_other_error_than_its_own_among_others() -> None:
    """The transpose optimizer has two faults: an assertion, and a division by the size of an empty tensor."""
    abort, division = (f"crash compile the process was ended by {name}" for name in ("SIGABRT", "SIGFPE"))
    assertion = culprit(reported("crash", abort, TRANSPOSE))
    assert not assertion.accounts_for(reported("crash", division, ("NoopElimination", *TRANSPOSE)))
    assert assertion.accounts_for(reported("crash", abort, ("NoopElimination", *TRANSPOSE)))


def test_a_part_that_suffices_accounts_for_a_finding_whichever_was_found_first() -> None:
    """A float8 Unsqueeze stays if one optimizer moves the pair around it, and another drops the pair."""
    unsqueeze, argmax = (f"crash compile Type _ of operator ({name})" for name in ("Unsqueeze", "ArgMax"))
    moved = reported("crash", unsqueeze, (PROPAGATION,), (SELECTION,))
    assert culprit(reported("crash", argmax, (SELECTION,))).accounts_for(moved)
    assert not culprit(reported("mismatch", "", (SELECTION,))).accounts_for(moved)


def test_an_error_that_follows_from_a_wrong_value_has_the_cause_of_that_value() -> None:
    """The shape after EliminateSlice does not fit the next Concat."""
    part, follows = ("EliminateSlice",), {"follows": True}
    fault = culprit(reported("mismatch", "", part, of=("Slice",), wrong="a wrong shape"))
    error = reported("crash", "crash compile Can't merge shape info", part, of=("Concat", "Slice"))
    assert not fault.accounts_for(error)
    assert fault.accounts_for({**error, "bisection": follows})
    record = finding("crash", pattern=("Concat", "Slice"), wrong="")
    assert cause_of(record, {}, part, follows=True) == "mismatch by EliminateSlice of Concat Slice"


# --- patterns -------------------------------------------------------------------------------------------------


def of_torch(wrong: str, *pattern: str, blame: tuple[str, ...] = ("cpp.simdlen",)) -> dict[str, Any]:
    return reported("mismatch", "", blame, of=pattern, wrong=wrong, compiler="inductor")


ARGMIN = of_torch("wrong values", "aten.argmin(int64 int8)")
REMAINDER = of_torch("zeros of the wrong sign", "aten.remainder.Scalar")
ARANGE = of_torch("wrong values", "torch.arange(int64)")


def test_faults_that_vanish_without_vector_code_are_not_one() -> None:
    causes = [one["cause"] for one in (ARGMIN, REMAINDER, ARANGE)]
    assert causes == [
        "mismatch of aten.argmin(int64 int8): wrong values",
        "mismatch of aten.remainder.Scalar: zeros of the wrong sign",
        "mismatch of torch.arange(int64): wrong values",
    ]
    for one in (ARGMIN, REMAINDER, ARANGE):
        for other in (ARGMIN, REMAINDER, ARANGE):
            assert not culprit(one).may_account_for(other)
            assert not culprit(one).accounts_for(other)


def test_a_switch_for_a_code_generator_or_a_whole_family_is_no_part() -> None:
    assert narrow("inductor", ["cpp.enable_loop_tail_vec"]) == ()
    assert narrow("inductor", ["lowering argmin", "cpp.simdlen"]) == ()
    assert narrow("inductor", ["lowering *"]) == ()
    assert narrow("inductor", ["lowering argmin"]) == ("lowering argmin",)
    assert narrow("a plugin that is not here", ["pass"]) == ("pass",)


def test_a_part_accounts_only_for_programs_with_the_pattern_of_its_fault() -> None:
    fault = culprit(of_torch("wrong values", "Abs", "Neg(int8)", blame=("pass fold",)))
    assert fault.may_account_for(of_torch("", "Abs", "Conv", "Neg(int8)", blame=()))
    assert not fault.may_account_for(of_torch("", "Abs", "Conv", "Neg", blame=()))
    assert fault.accounts_for(of_torch("wrong values", "Abs", "Neg(int8)", "Sign", blame=("pass fold",)))
    assert not fault.accounts_for(of_torch("wrong values", "Abs", "Sign", blame=("pass fold",)))
    assert not fault.accounts_for(of_torch("NaN instead of a number", "Abs", "Neg(int8)", blame=("pass fold",)))
    assert not fault.accounts_for(of_torch("wrong values", "Abs", "Neg(int8)", blame=("pass other",)))


def test_a_pattern_names_operators_with_the_types_that_they_read_and_make() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("int8", (2,)))
    graph = build.build([build.op("Cast", build.op("Abs", x), to="float32"), build.op("Abs", x)])
    assert pattern([graph], []) == ["Abs(int8)", "Cast(int8)"]
    written = replace(graph, updates={x: graph.outputs[1]})
    assert pattern([written], []) == ["Abs(int8)", "Cast(int8)", "in place"]


def test_the_pattern_of_a_program_of_constants_has_the_functions_that_make_them() -> None:
    build = GraphBuilder()
    graph = build.build([build.constant(np.arange(3))])
    source = "class M:\n    def forward(self):\n        return (torch.arange(0, 3, dtype=torch.int64),)\n"
    assert pattern([graph], [Artifact(format="torch", source=source, arrays={})]) == ["torch.arange(int64)"]


# --- operators ------------------------------------------------------------------------------------------------


def beside(operator: str) -> tuple[dict[str, Graph], int]:
    """A graph with an operator besides Sign and Abs that has an output of its own, and the number of that output."""
    build = GraphBuilder()
    x, y = (build.input(TensorType("float16", (3, 1))) for _ in range(2))
    outputs = [
        build.op(operator, y, build.constant(np.zeros((1, 3), np.float16))),
        build.op("Abs", build.op("Sign", x)),
    ]
    return {"min": build.build(outputs)}, 1


def test_an_operator_that_writes_over_other_values_is_the_cause_whatever_it_hits() -> None:
    """Max of float16 wrote behind its result. The values there became wrong, but not in every process."""
    graphs, output = beside("Max")
    has = pattern(list(graphs.values()), [])
    whole = "mismatch of Abs(float16) Max(float16) Sign(float16): wrong values"
    assert cause_of(finding(output=output, repro_exit=0), graphs, ()) == "mismatch beside Max"
    assert cause_of(finding(output=0, repro_exit=0), graphs, ()) == "mismatch beside Abs Sign"
    assert cause_of(finding(output=output, pattern=has), graphs, ()) == whole
    chain = finding(output=0, repro_exit=0, pattern=["Abs", "Sign"])
    assert cause_of(chain, {"min": program("Sign", "Abs")}, ()) == "mismatch of Abs Sign: wrong values"
    unfinished = finding(output=output, repro_exit=0, reduction={"finished": False}, pattern=has)
    assert cause_of(unfinished, graphs, ()) == whole
