"""Reduction: a finding made as small as it gets while it still shows.

Deterministic passes, each a list of edits, make candidates out of a pair of graphs. One that is smaller in a total
order (:attr:`Pair.size`), whose sides the interpreter still finds equal, and on which the finding's own oracle still
says the same, takes the pair's place; the passes are repeated until none changes anything. This is delta debugging
(Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002) over edits that know what a graph is.
A program as its owner wrote it is cut down in the same way, node by node or statement by statement.
"""

from polyjuice.triage.reduction.run import reduce
from polyjuice.triage.reduction.search import NotShown, Step

__all__ = ["NotShown", "Step", "reduce"]
