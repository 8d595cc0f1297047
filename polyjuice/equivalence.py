"""The equivalence check: no rule is trusted, and the interpreter must find a variant equal to its seed graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.interpret import EvaluationError, Shared, evaluate
from polyjuice.ir import Graph
from polyjuice.numerics import Mode, analyse, apart, as_good_as_equal


def difference(
    graph: Graph,
    variant: Graph,
    inputs: Sequence[Sequence[np.ndarray]],
    modes: Sequence[Mode] = (),
    shared: Sequence[Shared] = (),
) -> str:
    """How a variant differs from its seed graph by the interpreter, or "" where they are equal.

    ``modes`` has for each of the inputs the mode of the analysis (see :func:`polyjuice.numerics.analyse`), and
    ``shared`` the results that are known.

    Exact outputs must be equal. Others, held in float64, may differ by the sum of their error bounds. The function
    computes bounds only where the values are not as good as equal. Raises EvaluationError where the seed graph has no
    value.
    """
    for i, x in enumerate(inputs):
        known = shared[i] if shared else Shared()
        wanted = evaluate(graph, x, "float64", shared=known)
        try:
            results = evaluate(variant, x, "float64", shared=known)
            alike = all(as_good_as_equal(a, b) for a, b in zip(wanted, results, strict=True))
            if alike and graph.output_types == variant.output_types:
                continue
            mode = modes[i] if modes else Mode()
            both = (analyse(each, x, "float64", True, mode, known) for each in (graph, variant))
            for k, (a, b) in enumerate(zip(*both, strict=True)):
                if not (a.type.known and b.type.known):  # errors leave its size in doubt
                    continue
                wrong = apart(a, b)
                if a.type != b.type or wrong.any():
                    return f"output {k} ({a.type}) differs at {int(wrong.sum())} of {wrong.size} elements"
        except EvaluationError as error:
            return f"the variant has no value where the seed graph has one: {error}"
    return ""
