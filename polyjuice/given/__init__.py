"""Users' models: their meaning as Graphs, and the original programs."""

from polyjuice.given.model import ORIGINAL, UserModel
from polyjuice.given.onnx_program import OnnxModel, from_model, load_onnx, uncompiled
from polyjuice.given.precision import in_float64

__all__ = ["ORIGINAL", "OnnxModel", "UserModel", "from_model", "in_float64", "load_onnx", "uncompiled"]
