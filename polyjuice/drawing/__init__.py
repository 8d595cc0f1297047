"""Draw programs: graphs in, SVG out. Graphviz computes the layout; differences between two programs are highlighted."""

from polyjuice.drawing.dot import Side, differing
from polyjuice.drawing.svg import DARK, LIGHT, STYLE, DrawingError, DrawingMissing, check, draw, variables

__all__ = ["DARK", "LIGHT", "STYLE", "DrawingError", "DrawingMissing", "Side", "check", "differing", "draw"]
__all__ += ["variables"]
