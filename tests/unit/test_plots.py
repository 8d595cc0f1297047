"""Plots of a finding's values: the drawn numbers, and the text about numbers that have no place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from polyjuice.page import plots

SVG = "{http://www.w3.org/2000/svg}"


def row(at: Sequence[int], float64: str, allowed: str = "0", **compiled: str) -> dict[str, Any]:
    return {"at": list(at), "compiled": compiled, "uncompiled": {}, "float64": float64, "allowed": allowed}


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()).strip() for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def record(*rows: Mapping[str, Any], culprit: str = "min") -> Any:
    return SimpleNamespace(values=rows, culprit=culprit, a="min", output=2)


def test_both_sides_are_drawn_against_float64() -> None:
    picture = plots.values(record(row([0], "1", min="0", max="1"), row([1], "3", min="5", max="3")), "p")
    assert picture is not None
    assert {"min", "max", "float64", "[0]", "[1]", "value"} <= set(texts(picture.svg))
    assert picture.caption == "The elements that differ most, by position in output 2."


def test_a_difference_that_cannot_be_seen_is_drawn_by_itself() -> None:
    picture = plots.values(record(row([0], "1.0", "1e-15", original="1.0000000342"), culprit="original"), "p")
    assert picture is not None
    assert {"compiled", "difference from float64"} <= set(texts(picture.svg))


def test_truths_are_numbers() -> None:
    assert plots.values(record(row([], "True", min="False", max="True")), "p") is not None


def test_what_is_not_finite_is_counted() -> None:
    picture = plots.values(record(row([0], "1", min="inf", max="1"), row([1], "2", min="nan", max="2")), "p")
    assert picture is not None
    assert picture.caption.endswith("2 compiled values are not finite, and not shown.")


@pytest.mark.parametrize("value", ["(1+2j)", "nan", "inf"])
def test_without_a_finite_number_there_is_no_plot(value: str) -> None:
    assert plots.values(record(row([0], value, min=value)), "p") is None
    assert plots.values(record(), "p") is None


def test_magnitudes_that_are_far_apart_fit_on_an_axis() -> None:
    rows = [row([0], "1e-30", min="1e30", max="1e-30"), row([1], "-1e10", min="0", max="-1e10")]
    assert plots.values(record(*rows), "p") is not None


def test_a_plot_has_the_colours_of_the_page_and_ids_of_its_own() -> None:
    picture = plots.growth([1, 0, 2], "3 things", "own")
    assert "var(--accent)" in picture.svg
    assert "#0000" not in picture.svg
    ids = re.findall(r' id="([^"]*)"', picture.svg)
    assert ids
    assert all(name.startswith("own-") for name in ids)
    assert set(re.findall(r'(?:href="#|url\(#)([^")]*)', picture.svg)) <= set(ids)
    assert picture.svg == plots.growth([1, 0, 2], "3 things", "own").svg
