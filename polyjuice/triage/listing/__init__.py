"""Programs as a person reads them, read off what the compiler is given: listings, titles, and what two differ in."""

from polyjuice.triage.listing.expressions import MOST, cut, elements
from polyjuice.triage.listing.programs import Shown, differences, shown

__all__ = ["MOST", "Shown", "cut", "differences", "elements", "shown"]
