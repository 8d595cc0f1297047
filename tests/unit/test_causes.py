"""Root causes of findings of ONNX Runtime and Torch, judged by hand, and the rules that explain a pair."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.egraph import load as load_rules
from polyjuice.execution import Artifact, Outcome
from polyjuice.ir import Graph
from polyjuice.ops import GraphBuilder
from polyjuice.oracles.case import Program
from polyjuice.oracles.failures import failure_of
from polyjuice.triage.causes import KnownCulprit, cause_of, narrow, pattern
from polyjuice.triage.explanation import accountable, explain
from polyjuice.triage.record import FindingRecord
from tests.support import findings
from tests.support.graphs import graph

PATTERN, REUSE = "setting enable_mem_pattern", "setting enable_mem_reuse"
PROPAGATION, SELECTION = "QDQPropagationTransformer", "QDQSelectorActionTransformer"
TRANSPOSE = ("TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider")


def finding(kind: str = "mismatch", **changes: Any) -> FindingRecord:
    plain = findings.finding(kind=kind, a="min", b="", culprit="min", blame=(), bisection={}, cause="", choices={})
    return replace(plain, **{"reduction": {"finished": True}, "repro_exit": 1, **changes})


def program(*operators: str) -> Graph:
    return graph("float16[2] x", "".join(f"x = {operator}(x); " for operator in operators) + "x")


def of_error(operator: str, error: str) -> str:
    """The cause of a finding without a blamed part: a program of one operator does not load."""
    made = program(operator)
    outcome = Outcome(status="error", stage="compile", message=error)
    artifact = Artifact(format="onnx", source=b"", arrays={})
    failed = Program(label="min", graph=made, artifact=artifact, analyses=[], outcome=outcome)
    signature = failure_of("crash", failed).signature
    return cause_of(finding("crash", signature=signature, pattern=pattern([made], [])), {"min": made}, ())


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
    made = graph("int8[2] x", "Cast(Abs(x), to='float32'), Abs(x)")
    assert pattern([made], []) == ["Abs(int8)", "Cast(int8)"]
    written = replace(made, updates={"x": made.outputs[1]})
    assert pattern([written], []) == ["Abs(int8)", "Cast(int8)", "in place"]


def test_the_pattern_of_a_program_of_constants_has_the_functions_that_make_them() -> None:
    build = GraphBuilder()
    graph = build.build([build.constant(np.arange(3))])
    source = "class M:\n    def forward(self):\n        return (torch.arange(0, 3, dtype=torch.int64),)\n"
    assert pattern([graph], [Artifact(format="torch", source=source, arrays={})]) == ["torch.arange(int64)"]


def test_a_form_that_the_wrong_program_needs_is_of_the_cause() -> None:
    """TVM's Max and Min return a number for an infinity: the Conv before it is right."""
    choices = {
        "min": {"forms in part of: any value: through Min of one": {"v0": [1]}, "opset": {"": [18]}},
        "max": {"forms of: Conv: dilations absent": {"v0": [1]}},
    }
    record = finding(pattern=["Conv"], wrong="a number instead of an infinity", choices=choices)
    cause = cause_of(record, {"min": program("Abs")}, ())
    assert cause == "mismatch of Conv, through Min of one: a number instead of an infinity"
    by_part = cause_of(record, {"min": program("Abs")}, ("FuseOps",))
    assert by_part == "mismatch by FuseOps of Conv: a number instead of an infinity"


def beside(operator: str) -> tuple[dict[str, Graph], int]:
    """A graph with an operator besides Sign and Abs that has an output of its own, and the number of that output."""
    zeros = np.zeros((1, 3), np.float16)
    return {"min": graph("float16[3,1] x y", f"{operator}(y, zeros), Abs(Sign(x))", zeros=zeros)}, 1


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


RULES = load_rules()
PAIRS: dict[str, tuple[str, str, set[str]]] = {
    "no rule": ("Add(x, [[2] * 3] * 2)", "Add(x, 2)", set()),
    "one rule": ("Relu(Add(x, [[0] * 3] * 2))", "Relu(x)", {"add-zero"}),
    "twice": ("x", "Transpose(Transpose(x, perm=(1, 0)), perm=(1, 0))", {"transpose-transpose"}),
    "two rules": ("aten.rsqrt(x)", "Reciprocal(Pow(x, 0.5))", {"rsqrt-as-reciprocal", "sqrt-as-pow"}),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_the_least_set_of_rules_is_found(pair: str) -> None:
    a, b, names = PAIRS[pair]
    found = explain(matrix(a), matrix(b), RULES)
    assert found is not None
    assert {rule.name for rule in found} == names or (pair == "twice" and len(found) == 1)


def matrix(body: str) -> Graph:
    return graph("float32[2,3] x", body)


def test_what_is_not_equal_has_no_explanation() -> None:
    rules = [rule for rule in RULES if rule.name in ("add-zero", "add-commutative", "relu-relu")]
    assert explain(matrix("Add(x, [[1] * 3] * 2)"), matrix("Relu(x)"), rules) is None
    assert explain(matrix("Transpose(x, perm=(1, 0))"), matrix("x"), rules) is None


def test_rules_of_ones_own_explain_too(tmp_path: Path) -> None:
    (tmp_path / "my.egg").write_text('(rewrite (Abs (Neg x)) (Abs x) :ruleset exact :name "mine") ; |-x| = |x|\n')
    found = explain(matrix("Abs(Neg(x))"), matrix("Abs(x)"), load_rules([tmp_path / "my.egg"], defaults=False))
    assert [(rule.name, rule.comment) for rule in found or ()] == [("mine", "|-x| = |x|")]


def test_rules_that_touch_the_difference_come_first() -> None:
    found = accountable(matrix("Relu(Abs(x))"), matrix("Abs(x)"), RULES)
    assert 0 < len(found) < len(RULES)
    assert all("Relu" in rule.constructors for rule in found)
