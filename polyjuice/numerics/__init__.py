"""Numerical analysis of a graph on given inputs: reference values, error bounds, and unstable elements.

One pass over the graph evaluates it in float64. For every element it also carries a bound on the distance of a correct
compiler's result from that reference, in the graph's element types. The bound combines the operands' errors, by each
operator's own rule (``Op.error``), with the rounding of each operation. An infinite bound masks an element. Poles,
overflow and operators that the table lacks mask elements. So do decisions that the error could turn over: a
comparison, a cast, an index of equal elements.

A value is *reproducible* if every compiler must give it bit for bit: the inputs are integers and every operator on the
way is exact on integers. Every value and partial sum must also be an integer that its type can hold. The finite bounds
of a reproducible value are 0.
"""

from polyjuice.numerics.analysis import Analyses, Analysis, analyse, possibly_reproducible, reproducible_outputs
from polyjuice.numerics.distances import SAFETY, apart, as_good_as_equal, distance
from polyjuice.numerics.judgement import Judgement, describe, judge, listing, mistyped
from polyjuice.numerics.values import Mode, Value, propagate
