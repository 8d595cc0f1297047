"""Draw programs: graphs in, SVG out. Graphviz computes the layout; differences between two programs are highlighted."""

from polyjuice.drawing.difference import differing
from polyjuice.drawing.dot import Side
from polyjuice.drawing.svg import STYLE, DrawingError, DrawingMissing, check, draw

__all__ = ["STYLE", "DrawingError", "DrawingMissing", "Side", "check", "differing", "draw"]
