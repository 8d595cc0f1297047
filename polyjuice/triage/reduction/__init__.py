"""Reduction: make a finding as small as possible while it still shows.

Deterministic passes, each a list of edits, turn a pair of graphs into candidates. A candidate replaces the pair if it
is smaller in a total order (:attr:`Pair.size`) and its sides are equal in the interpreter. The oracle's verdict must
also be the same. The passes repeat until none changes anything. This is delta debugging (Zeller and Hildebrandt,
Simplifying and Isolating Failure-Inducing Input, 2002) with edits that know graphs. A program as its owner wrote it is
cut down in the same way, node by node or statement by statement.
"""

from polyjuice.triage.reduction.run import NotShown, Progress, reduce

__all__ = ["NotShown", "Progress", "reduce"]
