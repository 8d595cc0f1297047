"""``polyjuice.check`` tests one model on its owner's inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from onnx import parser

from polyjuice.suite.checking import Checked, Checker, NotChecked

pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with Checker("onnxruntime") as checker:
        yield checker


def check(checker: Checker, text: str, inputs: Sequence[np.ndarray]) -> Checked:
    return checker.check(parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g {text}'), inputs, variants=3)


def test_integers_that_wrap_around_are_compared_by_rules_that_hold_on_them(checker: Checker) -> None:
    text = "(int8[4] a, int8[4] b, int8[4] c) => (int8[4] y) { s = Add(a, b) y = Add(s, c) }"
    inputs = [np.array(x, np.int8) for x in ([127, -128, 100, 7], [127, -128, 100, 7], [1, -1, 100, 7])]
    assert len(check(checker, text, inputs).compared) > 1


def test_nan_and_infinities_are_compared_by_rules_that_hold_on_them(checker: Checker) -> None:
    text = "(float[4] a, float[4] b) => (float[4] y) { s = Sub(a, b) y = Add(s, b) }"
    inputs = [np.float32([np.nan, np.inf, 1, 2]), np.float32([1, np.inf, -np.inf, 2])]
    assert "original" in check(checker, text, inputs).compared


def test_a_model_that_the_table_lacks_is_compared_with_its_uncompiled_run(checker: Checker) -> None:
    text = "(float[8] x) => (float[8] y) { u = Cast<to = 18>(x) y = Cast<to = 1>(u) }"
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 19]> g {text}')
    assert checker.check(model, [np.arange(8, dtype=np.float32)], variants=3).compared == ("original",)


def test_a_model_that_the_compiler_does_not_take_is_not_checked(checker: Checker) -> None:
    with pytest.raises(NotChecked, match="onnxruntime: "):
        check(checker, "(double[4] a) => (double[4] y) { y = Tan(a) }", [np.arange(4, dtype=np.float64)])
