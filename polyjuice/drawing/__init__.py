"""Programs as drawings: graphs in, SVG out. Graphviz lays them out; what differs between two is highlighted."""

from polyjuice.drawing.difference import differing
from polyjuice.drawing.dot import Side
from polyjuice.drawing.svg import STYLE, DrawingError, DrawingMissing, check, draw

__all__ = ["STYLE", "DrawingError", "DrawingMissing", "Side", "check", "differing", "draw"]
