"""Input profiles: which values the inputs of a graph take. Values under which all of a graph is finite."""

from polyjuice.inputs.profiles import PROFILES, make_inputs, ranges
from polyjuice.inputs.search import find, finite_everywhere, settle

__all__ = ["PROFILES", "find", "finite_everywhere", "make_inputs", "ranges", "settle"]
