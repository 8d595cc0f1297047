"""Input profiles: which values the inputs of a graph take. Values under which all of a graph is finite."""

from polyjuice.inputs.profiles import (
    MODES,
    PROFILES,
    RULESETS,
    USUAL_PROFILES,
    allowed_rulesets,
    make_inputs,
    mode,
    ranges,
)
from polyjuice.inputs.search import find, finite_everywhere, settle
from polyjuice.inputs.validity import is_finite
from polyjuice.inputs.values import normal

__all__ = [
    "MODES",
    "PROFILES",
    "RULESETS",
    "USUAL_PROFILES",
    "allowed_rulesets",
    "find",
    "finite_everywhere",
    "is_finite",
    "make_inputs",
    "mode",
    "normal",
    "ranges",
    "settle",
]
