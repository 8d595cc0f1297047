"""Input profiles: which values the inputs of a graph take."""

from polyjuice.inputs.profiles import PROFILES, make_inputs, ranges

__all__ = ["PROFILES", "make_inputs", "ranges"]
