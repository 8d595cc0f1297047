"""TensorFlow functions as they are. This file needs TensorFlow; the rest of the project does without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from polyjuice.execution import Artifact
from polyjuice.formats import FormatError
from polyjuice.formats.errors import refused
from polyjuice.given.model import UserModel, unread
from polyjuice.given.precision import in_float64
from polyjuice.given.tensorflow_graph import NotRead, read
from polyjuice.given.tensorflow_source import NotCaptured, array_of, capture, run
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, dtypes

_SAME = 1e-5
"""Another operator is farther off; some of TensorFlow's give float32 whatever they take."""


def from_function(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    where: str = "function",
) -> UserModel:
    """The program of a function, a ``tf.function``, a ``tf.Module`` or a layer, for inputs of these types.

    The tensors and arrays among the arguments are its inputs, in the order of ``tf.nest.flatten``; other arguments
    stay what they are. ``where`` begins the messages. Raises FormatError.
    """
    given = (args, dict(kwargs or {}))
    values = tf.nest.flatten(given)
    places = [n for n, value in enumerate(values) if tf.is_tensor(value) or isinstance(value, np.ndarray)]
    if not places:
        raise FormatError(
            f"{where}: the model is no torch.nn.Module, and no argument is a TensorFlow tensor or a NumPy array"
        )
    with refused(f"{where}: the inputs are no tensors"):
        inputs = [tf.convert_to_tensor(values[n]) for n in places]

    def call(*tensors: tf.Tensor) -> Any:
        passed = list(values)
        for n, tensor in zip(places, tensors, strict=True):
            passed[n] = tensor
        arguments, named = tf.nest.pack_sequence_as(given, passed)
        return function(*arguments, **named)

    with refused(f"{where}: TensorFlow cannot trace the function"):
        try:
            examples = tuple(map(array_of, inputs))
            artifact, results, traced = capture(call, inputs)
            graph = unread(list(map(_type, inputs)), list(map(_type, results)))
        except (NotCaptured, TypeError) as error:
            lines = str(error).strip().splitlines()
            raise FormatError(f"{where}: the function cannot be compiled as it is: {lines[0]}") from None
    return UserModel(_meaning(traced, artifact, examples, graph.output_types) or graph, artifact, examples)


def _meaning(
    traced: Any, artifact: Artifact, examples: Sequence[np.ndarray], types: Sequence[TensorType]
) -> Graph | None:
    """The graph of a function; None where it cannot be read, or is not seen to mean what the function does."""
    try:
        graph = read(traced)
        if graph.output_types != types:
            return None
        wide = in_float64(artifact)
        if wide is None or not _agree(graph, wide, examples):
            return None
    except (NotRead, EvaluationError, tf.errors.OpError):
        return None
    return graph


def _agree(graph: Graph, wide: Artifact, examples: Sequence[np.ndarray]) -> bool:
    """Whether a graph, interpreted in float64, gives what the program gives in float64, on other numbers too."""
    rng = np.random.default_rng(0)
    drawn = [rng.normal(size=x.shape) if dtypes.is_float(dtypes.of_array(x)) else x for x in examples]
    for inputs in (examples, drawn):
        arrays = [x.astype(np.float64) if dtypes.is_float(dtypes.of_array(x)) else x for x in inputs]
        wanted = run(wide, list(map(tf.constant, arrays)))
        found = evaluate(graph, arrays, "float64")
        if not all(a.shape == b.shape and _close(a, b.numpy()) for a, b in zip(found, wanted, strict=True)):
            return False
    return True


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    exact = not dtypes.is_float(dtypes.of_array(b))
    return np.array_equal(a, b) if exact else np.allclose(a, b, _SAME, _SAME, equal_nan=True)


def _type(tensor: tf.Tensor) -> TensorType:
    array_of(tensor)
    return TensorType(tensor.dtype.name, tuple(tensor.shape))
