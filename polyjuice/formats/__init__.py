"""Read and write graphs: ONNX files, and Torch modules through ``torch.export``."""

from polyjuice.formats.format_errors import FormatError
from polyjuice.formats.limits import ReadLimits, TooLarge
from polyjuice.formats.onnx_file import load_model
from polyjuice.formats.onnx_read import from_model, load
from polyjuice.formats.onnx_write import save, to_model

__all__ = ["FormatError", "ReadLimits", "TooLarge", "from_model", "load", "load_model", "save", "to_model"]
