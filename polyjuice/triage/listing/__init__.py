"""Listings of programs for reports: their text, titles and differences, taken from the compiler's input."""

from polyjuice.frameworks.expressions import MOST, cut, elements
from polyjuice.triage.listing.programs import Shown, differences, shown

__all__ = ["MOST", "Shown", "cut", "differences", "elements", "shown"]
