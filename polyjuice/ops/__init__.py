"""The operator table: one declarative entry per operator (:class:`polyjuice.ops.spec.Op`)."""

from polyjuice.ops import table
from polyjuice.ops.build import GraphBuilder, check, complete_attrs, infer_node, is_accepted
from polyjuice.ops.inference import Accepts, AttrView, TypeMismatch, infer
from polyjuice.ops.registry import TABLE, entry, matching, without_complex
from polyjuice.ops.shapes import Dims, ShapeMismatch
from polyjuice.ops.spec import FRAMEWORKS, Attr, Call, ErrorContext, Op, Operand, Sample, Texts, Unsupported

PROBLEMS = table.register_further()
"""The mistakes in other packages' operators, which the table lacks."""

__all__ = [
    "FRAMEWORKS",
    "PROBLEMS",
    "TABLE",
    "Accepts",
    "Attr",
    "AttrView",
    "Call",
    "Dims",
    "ErrorContext",
    "GraphBuilder",
    "Op",
    "Operand",
    "Sample",
    "ShapeMismatch",
    "Texts",
    "TypeMismatch",
    "Unsupported",
    "check",
    "complete_attrs",
    "entry",
    "infer",
    "infer_node",
    "is_accepted",
    "matching",
    "without_complex",
]
