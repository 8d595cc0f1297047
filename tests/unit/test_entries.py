"""The short forms in which entries of the operator table state their texts, attributes and shapes."""

from __future__ import annotations

import pytest

from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, Attr, ShapeMismatch, complete_attrs, infer
from polyjuice.ops.spec import attributes
from polyjuice.ops.text import spell


@pytest.mark.parametrize(
    ("texts", "operands", "templates"),
    [
        (("torch.abs .abs .abs_ abs",), 1, ("torch.abs({0})", "{0}.abs()", "{0}.abs_()", "abs({0})")),
        (("+ torch.add .add_",), 2, ("{0} + {1}", "torch.add({0}, {1})", "{0}.add_({1})")),
        (("~",), 1, ("~{0}",)),
        (("nn.ReLU", "F.relu({0}, inplace=True)"), 1, ("torch.nn.ReLU()({0})", "F.relu({0}, inplace=True)")),
    ],
)
def test_names_become_templates(texts: tuple[str, ...], operands: int, templates: tuple[str, ...]) -> None:
    assert spell(*texts, operands=operands) == templates


def test_attributes_are_stated_by_their_defaults() -> None:
    assert attributes(k="int", axis=-1, eps=1e-5, pads=(0, 0), mode="linear") == (
        Attr("k", "int"),
        Attr("axis", "int", -1),
        Attr("eps", "float", 1e-5),
        Attr("pads", "ints", (0, 0)),
        Attr("mode", "string", "linear"),
    )


def test_a_refusal_names_the_operator_with_its_types_and_attributes() -> None:
    op = TABLE["", "Trilu"]
    with pytest.raises(ShapeMismatch, match=r"^Trilu does not take float32\[3\] with k=0, upper=1$"):
        infer(op, [TensorType("float32", (3,))], complete_attrs(op, {}))
