"""Users' models: their meaning as Graphs, and the original programs."""

from polyjuice.user_models.model import ORIGINAL, UserModel
from polyjuice.user_models.onnx_program import OnnxModel, from_model, load_onnx, uncompiled
from polyjuice.user_models.precision import in_float64

__all__ = ["ORIGINAL", "OnnxModel", "UserModel", "from_model", "in_float64", "load_onnx", "uncompiled"]
