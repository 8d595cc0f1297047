"""What a program is to have where its choices are drawn: a layout of its first input, a setting, an opset."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    """What is drawn as usual is "" or 0. A program has something else where it cannot have what is wanted.

    ``layout`` is one of ``torch_source.LAYOUTS``. ``setting`` is one of ``torch_source.SETTINGS`` or
    ``tensorflow_source.SETTINGS``. ``opset`` is that of an ONNX model, unless the user named one.
    """

    layout: str = ""
    setting: str = ""
    opset: int = 0


NOTHING = Wanted()
"""All choices are drawn as usual."""
