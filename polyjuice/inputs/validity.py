"""Whether a graph is valid: well typed, and run by the interpreter with results of the types that it declares."""

from __future__ import annotations

from polyjuice.inputs.profiles import make_inputs
from polyjuice.inputs.search import finite_everywhere
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, GraphError, TensorType, dtypes
from polyjuice.ops import check


def is_finite(graph: Graph, key: str) -> bool:
    """Whether nothing in a graph is NaN or infinite under inputs that were searched for, which ``key`` chooses.

    Raises GraphError where the graph is invalid.
    """
    inputs = make_inputs(check(graph), "normal", key)
    results = [TensorType(dtypes.of_array(array), array.shape) for array in evaluate(graph, inputs)]
    if results != list(graph.output_types):
        raise GraphError(f"its results are {results}, and declared {list(graph.output_types)}")
    return finite_everywhere(graph, inputs)
