"""The masks that leave elements of a result open: each is named, with the operator that brings it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import parser

from polyjuice.frameworks.onnx import graph_files
from polyjuice.numerics import Mode
from polyjuice.numerics.masks import MASKS, masks
from polyjuice.triage.record import in_words

INF, NAN = np.inf, np.nan
X = "float[4] x) => (float[4] y)"


def found(
    signature: str, body: str, inputs: Sequence[Sequence[float]], mode: Mode, dtype: str = "float32"
) -> dict[tuple[str, str], int]:
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18, "own" : 1]> g ({signature} {{ {body} }}')
    arrays = [np.array(x, dtype) for x in inputs]
    return dict(masks(graph_files.from_model(model, "test"), arrays, 0, mode))


@pytest.mark.parametrize(
    ("signature", "body", "inputs", "mode", "expected"),
    [
        (X, "y = Neg(x)", [[1.5, 2, 3, 4]], Mode(), {}),
        (X, "z = Exp(x) y = Neg(z)", [[1000, 0.5, 1, 1000]], Mode(), {("overflow", "Exp"): 2}),
        (X, "y = Log(x)", [[0, 0.5, 1, 2]], Mode(), {("overflow", "Log"): 1}),
        (X, "z = Sqrt(x) y = Ceil(z)", [[4, 2, 0.3, 0.25]], Mode(), {("error", "Ceil"): 1}),
        (f"{X} <float low = {{0}}>", "y = Clip(x, low)", [[INF, 0, 1, 2]], Mode(edge=True), {("disputed", "Clip"): 1}),
        (X, "y = Softmax(x)", [[INF, 0, 1, 2]], Mode(), {("limits", "Softmax"): 4}),
        (
            "float[4] x) => (int64[1] y)",
            "y = ArgMax<axis = 0>(x)",
            [[1, 3, 3, 2]],
            Mode(ordered=False),
            {("ties", "ArgMax"): 1},
        ),
        ("float[4] x) => (int64[1] y)", "y = ArgMax<axis = 0>(x)", [[1, 3, 3, 2]], Mode(), {}),
        (X, "y = own.Thing(x)", [[1, 2, 3, 4]], Mode(), {("opaque", "own.Thing"): 4}),
        (
            X,
            "z = Cast<to = 10>(x) y = Cast<to = 1>(z)",
            [[0.1, 0.2, 0.3, 0.4]],
            Mode(excess_precision=("float16",)),
            {("excess_precision", "Cast"): 4},
        ),
    ],
)
def test_each_mask_is_named_with_its_operator(
    signature: str,
    body: str,
    inputs: Sequence[Sequence[float]],
    mode: Mode,
    expected: dict[tuple[str, str], int],
) -> None:
    assert found(signature, body, inputs, mode) == expected


def test_operators_on_which_the_output_does_not_depend_bring_no_mask() -> None:
    signature = "float[4] x) => (float[4] y, float[4] z)"
    assert found(signature, "y = Neg(x) z = Log(x)", [[0, 1, 2, 3]], Mode()) == {}


def test_the_page_on_verdicts_explains_every_mask() -> None:
    page = (Path(__file__).parents[2] / "docs/verdicts.md").read_text()
    assert [name for name in MASKS if f"`{name}`" not in page] == []


def test_a_decision_in_words() -> None:
    assert [*in_words({})] == ["No error bound and no mask decided this finding."]
    assert [
        *in_words(
            {
                "by": "the error bound",
                "elements": 4,
                "left_out": 1,
                "masks": [{"mask": "ties", "operator": "ArgMax", "elements": 1}],
                "uncompiled": "a complex number is not finite",
            }
        )
    ] == [
        "Decided by the error bound.",
        "The error bounds leave 1 of 4 elements open.",
        "ties: 1 elements of ArgMax (equal elements, of which the framework may take any).",
        "The uncompiled run does not decide them: a complex number is not finite.",
    ]
