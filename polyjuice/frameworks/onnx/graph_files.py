"""Read and write graphs: ONNX files, and Torch modules through ``torch.export``."""

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import TooLarge
from polyjuice.frameworks.onnx.file import load_model
from polyjuice.frameworks.onnx.read import from_model, load
from polyjuice.frameworks.onnx.write import save, to_model

__all__ = ["FormatError", "TooLarge", "from_model", "load", "load_model", "save", "to_model"]
