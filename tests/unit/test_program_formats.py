"""The formats of programs: each names parts that exist, and another package may add one."""

from __future__ import annotations

from dataclasses import fields

import pytest

from polyjuice.frameworks import registry
from polyjuice.frameworks.registry import Part
from polyjuice.frameworks.rendering import Rendering

OWN = ("jax", "onnx", "tensorflow", "torch")


def test_the_formats_are_the_files_of_the_folder() -> None:
    assert registry.names() == OWN
    assert registry.in_suites() == ("onnx", "tensorflow", "torch")
    assert [registry.find(name).name for name in OWN] == list(OWN)


@pytest.mark.parametrize("name", OWN)
def test_each_part_of_a_format_can_be_loaded(name: str) -> None:
    found = registry.find(name)
    parts = {field.name: getattr(found, field.name) for field in fields(found)}
    loaded = {key: part.load() for key, part in parts.items() if isinstance(part, Part)}
    assert {"lower", "rendering"} <= loaded.keys()
    assert isinstance(loaded["rendering"], Rendering)
    assert all(callable(loaded[key]) for key in ("lower", "widen", "split", "read") if key in loaded)


@pytest.mark.parametrize("name", ["tflite", "__init__"])
def test_an_unknown_format_is_an_error(name: str) -> None:
    with pytest.raises(KeyError):
        registry.find(name)
