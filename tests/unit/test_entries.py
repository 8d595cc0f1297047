"""The short forms in which entries of the operator table state their texts, attributes and shapes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, Attr, Call, ShapeMismatch, complete_attrs, infer, text
from polyjuice.ops.spec import CONTRIB, Op, attributes


@pytest.mark.parametrize(
    ("texts", "name", "operands", "templates"),
    [
        (("torch.abs .abs .abs_ abs",), "Abs", 1, ("torch.abs({0})", "{0}.abs()", "{0}.abs_()", "abs({0})")),
        (("torch. . ._",), "Abs", 1, ("torch.abs({0})", "{0}.abs()", "{0}.abs_()")),
        (("+ torch.add .add_",), "Add", 2, ("{0} + {1}", "torch.add({0}, {1})", "{0}.add_({1})")),
        (("~",), "Not", 1, ("~{0}",)),
        (("nn. F.", "F.relu({0}, 1)"), "Relu", 1, ("torch.nn.Relu()({0})", "F.relu({0})", "F.relu({0}, 1)")),
        (("torch. .",), "LeakyRelu", None, ("torch.leaky_relu({all})", "{0}.leaky_relu({others})")),
    ],
)
def test_names_become_templates(
    texts: tuple[str, ...], name: str, operands: int | None, templates: tuple[str, ...]
) -> None:
    assert text.templates(texts, name, operands) == templates


def test_a_template_has_places_for_attributes_shapes_and_types() -> None:
    operand, result = TensorType("float16", (2, 3)), TensorType("bool", (2, 1))
    call = Call("xy", [operand] * 2, [result], {"dim": 1, "value": math.inf, "keep": 0}, None, str)
    template = "f({all}, {others}, {dim}, {value}, {is_keep}, {rank}, {shape}, {type})"
    assert call.fill(template) == 'f(x, y, y, 1, float("inf"), False, 2, (2, 1), bool)'


@pytest.mark.parametrize(
    ("name", "domain", "short"),
    [
        ("Relu", "", "Relu"),
        ("add.Scalar", "aten", "add.Scalar"),
        ("aten.square", "aten", "square"),
        ("com.microsoft.Gelu", CONTRIB, "Gelu"),
    ],
)
def test_a_name_tells_its_domain(name: str, domain: str, short: str) -> None:
    op = replace(Op(name=name, sample=lambda rng, first: None), weight=1.0)
    assert (op.domain, op.name) == (domain, short)


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
