"""Check that a graph is valid: it is well typed, and the interpreter's results have the declared types."""

from __future__ import annotations

from polyjuice.inputs.profiles import make_inputs
from polyjuice.inputs.search import finite_everywhere
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, GraphError, TensorType, dtypes
from polyjuice.ops import check


def is_finite(graph: Graph, key: str) -> bool:
    """Return whether the whole graph is finite under inputs that a search finds; ``key`` chooses them.

    Raises GraphError if the graph is invalid.
    """
    inputs = make_inputs(check(graph), "normal", key)
    results = [TensorType(dtypes.of_array(array), array.shape) for array in evaluate(graph, inputs)]
    if results != list(graph.output_types):
        raise GraphError(f"its results are {results}, and declared {list(graph.output_types)}")
    return finite_everywhere(graph, inputs)
