"""The forms of ONNX's operators: what a model can say in several ways, said in one that the seed chooses."""

from polyjuice.lower.onnx_forms.reading import forms_of
from polyjuice.lower.onnx_forms.writing import FORMS, is_constant, rewrite

__all__ = ["FORMS", "forms_of", "is_constant", "rewrite"]
