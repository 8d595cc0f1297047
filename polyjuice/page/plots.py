"""Plots as SVG elements, drawn by matplotlib, in the colours of the page."""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from polyjuice.drawing import DrawingMissing
from polyjuice.plugins import installable
from polyjuice.triage.record import FindingRecord

#: Colours of plots, and the page's variables that replace them.
_DIM, _LINE, _ACCENT, _GOOD, _BAD = _COLOURS = [f"#0000{n:02x}" for n in range(1, 6)]
_VARIABLES = dict(zip(_COLOURS, ("dim", "line", "accent", "good", "bad"), strict=True))

#: Limits: an axis is logarithmic above this ratio of magnitudes. It then shows zero below this share of the largest
#: one. A difference below this share of the axis is invisible.
_WIDE, _SHOWN, _UNSEEN = 1e4, 1e-6, 0.03

_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"


#: The approximate width of half a page, in pixels.
_HALF = 520


@dataclass(frozen=True)
class Picture:
    """A drawing or a plot as an SVG element, and its caption."""

    svg: str
    caption: str

    @property
    def wide(self) -> bool:
        """Whether it takes more than half of the page."""
        width = re.match(r'<svg[^>]*? width="(\d+)"', self.svg)
        return width is not None and int(width[1]) > _HALF

    @property
    def marks(self) -> list[str]:
        """The kinds of highlighted nodes, by their CSS classes."""
        return [name for name in ("differs", "wrong") if re.search(f'class="node [a-z]+ {name}"', self.svg)]


def check() -> None:
    """Raise DrawingMissing if matplotlib is not installed."""
    _matplotlib()


def values(record: FindingRecord, key: str) -> Picture | None:
    """Plot the elements of an output that differ most, with their expected values; None if no number is known."""
    rows = [row for row in record.values if _number(row["float64"]) is not None]
    labels = list(rows[0]["compiled"]) if rows else []
    series = {label: [_number(row["compiled"][label]) for row in rows] for label in labels}
    if not any(value is not None for one in series.values() for value in one):
        return None
    expected = [_number(row["float64"]) or 0.0 for row in rows]
    allowed = [_number(row["allowed"]) or 0.0 for row in rows]
    differences = not _seen(expected, [value for one in series.values() for value in one])
    if differences:
        series = {
            label: [None if value is None else value - right for value, right in zip(one, expected, strict=True)]
            for label, one in series.items()
        }
    with _axes(key, 3.6, 2.1) as (axes, written):
        base = [0.0] * len(rows) if differences else expected
        places = range(len(rows))
        low, high = ([value + sign * by for value, by in zip(base, allowed, strict=True)] for sign in (-1, 1))
        axes.vlines(places, low, high, color=_GOOD, lw=6, alpha=0.35)
        axes.plot(places, base, "_", color=_GOOD, ms=24, mew=2, label="float64")
        wrong = record.culprit or record.a
        for number, (label, one) in enumerate(series.items()):
            at = [place + 0.09 * (number - (len(series) - 1) / 2) for place in places]
            colour = _BAD if label == wrong else _ACCENT
            axes.plot(
                at,
                [math.nan if v is None else v for v in one],
                "os"[number % 2],
                color=colour,
                label=label if len(labels) > 1 else "compiled",
            )
        axes.set_xticks(list(places), [_place(row["at"]) for row in rows])
        axes.set_xlim(-0.6, len(rows) - 0.4)
        axes.set_ylabel("difference from float64" if differences else "value")
        _scale(axes, [*base, *(value for one in series.values() for value in one if value is not None)])
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=3)
    lead = (
        "The distance from float64 of the elements that differ most" if differences else "The elements that differ most"
    )
    infinite = sum(value is None for one in series.values() for value in one)
    note = f" {infinite} compiled values are not finite, and not shown." if infinite else ""
    return Picture(_page_svg(written, key, lead), f"{lead}, by position in output {record.output}.{note}")


def growth(counts: Sequence[int], caption: str, key: str) -> Picture:
    """Plot the cumulative sum of new items over the cases of a campaign."""
    curve = list(itertools.accumulate(counts))
    with _axes(key, 4.6, 2.5) as (axes, written):
        axes.plot(range(1, len(curve) + 1), curve, color=_ACCENT, drawstyle="steps-post", lw=1.8)
        axes.set_xlabel("cases")
        axes.set_xlim(0, max(2, len(curve)))
        axes.set_ylim(bottom=0)
        axes.yaxis.get_major_locator().set_params(integer=True)
    return Picture(_page_svg(written, key, caption), f"{caption}.")


def _number(text: str) -> float | None:
    try:
        value = {"True": 1.0, "False": 0.0}.get(text)
        value = float(text) if value is None else value
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _seen(expected: Sequence[float], got: Sequence[float | None]) -> bool:
    """Whether the largest difference is visible on an axis that holds all values."""
    known = [value for value in got if value is not None]
    width = max([*expected, *known, 0.0]) - min([*expected, *known, 0.0])
    pairs = zip(got, [*expected] * (len(got) // len(expected)), strict=True)
    most = max(abs(value - right) for value, right in pairs if value is not None)
    return most >= _UNSEEN * width


def _place(at: Sequence[int]) -> str:
    return str(list(at)).replace(" ", "") if at else "the only element"


def _scale(axes: Any, shown: Sequence[float]) -> None:
    """Make the axis logarithmic on both sides of zero if magnitudes differ greatly, and leave room at its ends."""
    axes.margins(y=0.2)
    sizes = [abs(value) for value in shown if value]
    if sizes and max(sizes) / min(sizes) > _WIDE:
        axes.set_yscale("symlog", linthresh=max(min(sizes), max(sizes) * _SHOWN))
        most = math.floor(math.log10(max(sizes)))
        signs = {math.copysign(1, value) for value in shown if value}
        axes.set_yticks([0.0, *(sign * 10.0**exponent for sign in signs for exponent in (most, most - 3))])
        axes.minorticks_off()
    else:
        axes.ticklabel_format(axis="y", useOffset=False, style="plain" if max(sizes, default=1) < 1e6 else "sci")
        axes.locator_params(axis="y", nbins=5)


def _matplotlib() -> Any:
    try:
        import matplotlib.backends.backend_svg
        import matplotlib.figure
    except ImportError:
        raise DrawingMissing(installable("the page needs matplotlib: pip install 'polyjuice-fuzzer[report]'")) from None
    return matplotlib


@contextmanager
def _axes(key: str, width: float, height: float) -> Iterator[tuple[Any, io.BytesIO]]:
    """Yield axes of a size in inches, and the file that receives the plot at the end of the block."""
    matplotlib = _matplotlib()
    written = io.BytesIO()
    with matplotlib.rc_context(_style(key)):
        figure = matplotlib.figure.Figure(figsize=(width, height), layout="constrained")
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        yield axes, written
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})


def _style(key: str) -> Mapping[str, Any]:
    colours = dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), _DIM)
    lines = dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color", "grid.color"), _LINE)
    return {
        **colours,
        **lines,
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 9,
        "legend.frameon": False,
        "lines.markersize": 6,
        "svg.fonttype": "none",
        "svg.hashsalt": key,
    }


def _page_svg(written: io.BytesIO, key: str, label: str) -> str:
    """matplotlib's output as an element of a page, with its own ids, colours as variables, and no metadata."""
    root = ElementTree.fromstring(re.sub(rb"<!DOCTYPE[^>]*>", b"", written.getvalue()))
    for metadata in root.findall(f"{_SVG}metadata"):
        root.remove(metadata)
    for element in root.iter():
        target = element.attrib.pop(f"{_XLINK}href", None)
        if target:
            element.set("href", f"#{key}-{target[1:]}")
        for name, value in element.attrib.items():
            changed = re.sub(r"url\(#", f"url(#{key}-", value)
            if name in ("style", "fill", "stroke"):
                changed = re.sub(r"#0000\d\d", lambda found: f"var(--{_VARIABLES[found[0]]})", changed)
            element.set(name, f"{key}-{value}" if name == "id" else changed)
    root.set("class", "plot")
    root.set("role", "img")
    root.set("aria-label", label)
    for name, namespace in (("", _SVG), ("xlink", _XLINK)):
        ElementTree.register_namespace(name, namespace.strip("{}"))
    return ElementTree.tostring(root, encoding="unicode")
