"""Input profiles: the kinds of values that a graph's inputs take; and a search for inputs that keep a graph finite."""

from polyjuice.inputs.distributions import DISTRIBUTIONS
from polyjuice.inputs.magnitudes import are_large
from polyjuice.inputs.plans import Plan, draw, intervals, joined, plans
from polyjuice.inputs.profiles import (
    GIVEN,
    MODES,
    PROFILES,
    REAL_PROFILES,
    RULESETS,
    USUAL_PROFILES,
    allowed_rulesets,
    has_policy,
    is_finite,
    judged_on_edge,
    make_inputs,
    mode,
    mode_in,
    profile_of,
    profiles_alone,
    ranges,
    rulesets_on,
    usual_profiles,
)
from polyjuice.inputs.random_values import normal
from polyjuice.inputs.search import find, finite_everywhere, settle
