"""Wishes for a program whose choices are drawn: a layout of its first input, a setting, an opset."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    """Wanted properties; "" or 0 leaves one to chance. A program that cannot have a wanted property has another.

    ``layout`` is one of ``torch_source.LAYOUTS``. ``setting`` is one of ``torch_source.SETTINGS`` or
    ``tensorflow_source.SETTINGS``. ``opset`` is that of an ONNX model, unless the user named one.
    """

    layout: str = ""
    setting: str = ""
    opset: int = 0


NOTHING = Wanted()
"""All choices are drawn as usual."""
