"""Findings of ONNX Runtime 1.15.0 and 1.20.1 with one or several root causes, as judged by hand."""

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
from polyjuice.triage.causes import KnownCulprit, by_part, cause_of
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
    return cause_of(finding("crash", signature=verdict.signature), {"min": graph}, ())


def reported(kind: str, signature: str, blame: tuple[str, ...], *alternatives: tuple[str, ...]) -> dict[str, Any]:
    """The content of ``finding.json`` after bisection."""
    cause = by_part(kind, signature, blame)
    return asdict(
        finding(kind, signature=signature, blame=blame, cause=cause, bisection={"alternatives": alternatives})
    )


def culprit(of: dict[str, Any]) -> KnownCulprit:
    return KnownCulprit(of["kind"], of["cause"], tuple(of["blame"]))


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
    assert by_part("crash", gather, [PATTERN]) == by_part("mismatch", "", [PATTERN])
    assert by_part("crash", gather, [REUSE]) != by_part("mismatch", "", [PATTERN])
    assert by_part("crash", gather, ["GatherToSliceFusion"]).startswith(gather)
    coarse = culprit(reported("crash", gather, (REUSE,)))
    assert not coarse.may_account_for("crash")
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
    assert cause_of(finding(output=output, repro_exit=0), graphs, ()) == "mismatch beside Max"
    assert cause_of(finding(output=0, repro_exit=0), graphs, ()) == "mismatch beside Abs Sign"
    assert cause_of(finding(output=output), graphs, ()) == "mismatch of Abs Max Sign"
    assert cause_of(finding(output=0, repro_exit=0), {"min": program("Sign", "Abs")}, ()) == "mismatch of Abs Sign"
    unfinished = finding(output=output, repro_exit=0, reduction={"finished": False})
    assert cause_of(unfinished, graphs, ()) == "mismatch of Abs Max Sign"
