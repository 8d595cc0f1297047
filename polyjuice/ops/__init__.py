"""The operator table: one declarative entry per operator (:class:`polyjuice.ops.spec.Op`)."""

from polyjuice.ops.build import GraphBuilder, check, complete_attrs, infer_node
from polyjuice.ops.shapes import Dims, ShapeMismatch
from polyjuice.ops.spec import Attr, AttrView, ErrorContext, Op, Operand, Sample, TorchCall, TypeMismatch, infer
from polyjuice.ops.table import TABLE, entry

__all__ = [
    "TABLE",
    "Attr",
    "AttrView",
    "Dims",
    "ErrorContext",
    "GraphBuilder",
    "Op",
    "Operand",
    "Sample",
    "ShapeMismatch",
    "TorchCall",
    "TypeMismatch",
    "check",
    "complete_attrs",
    "entry",
    "infer",
    "infer_node",
]
