"""Numerical analysis of a graph on given inputs: reference values, error bounds, exactness, and what is unstable.

One pass over the graph evaluates it in float64 and carries along, for every element of every value, a bound on how far
a correct compiler's result may lie from that reference, in the element types of the graph: operand errors by each
operator's own rule (``Op.error``), plus the rounding of each operation. An infinite bound masks an element: something
that depends on a decision which the error could turn over (a comparison, a cast, an index of equal elements), on a
pole, on an overflow, or on an operator that the table does not know.

A value is *exact* if every compiler must give it bit for bit: the inputs are integers, every operator on the way is
exact on integers, and every value and partial sum is an integer that its type can hold. Its finite bounds are 0.
"""

from polyjuice.numerics.analysis import Analyses, Analysis, analyse, exact_outputs, possibly_exact
from polyjuice.numerics.comparison import SAFETY, apart, as_good_as_equal, distance
from polyjuice.numerics.judgement import Judgement, describe, judge, listing, mistyped
from polyjuice.numerics.values import Mode, Value, propagate

__all__ = [
    "SAFETY",
    "Analyses",
    "Analysis",
    "Judgement",
    "Mode",
    "Value",
    "analyse",
    "apart",
    "as_good_as_equal",
    "describe",
    "distance",
    "exact_outputs",
    "judge",
    "listing",
    "mistyped",
    "possibly_exact",
    "propagate",
]
