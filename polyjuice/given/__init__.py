"""Models as their owners wrote them: what they mean, as Graphs, beside the programs themselves."""

from polyjuice.given.onnx_program import from_model, load_onnx, uncompiled
from polyjuice.given.precision import in_float64
from polyjuice.given.program import ORIGINAL, Program

__all__ = ["ORIGINAL", "Program", "from_model", "in_float64", "load_onnx", "uncompiled"]
