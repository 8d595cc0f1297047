"""The forms of ONNX's operators: where a model can be written in several ways, the seed chooses one."""

from polyjuice.frameworks.onnx.forms.reading import forms_of
from polyjuice.frameworks.onnx.forms.writing import FORMS, is_constant, rewrite

__all__ = ["FORMS", "forms_of", "is_constant", "rewrite"]
