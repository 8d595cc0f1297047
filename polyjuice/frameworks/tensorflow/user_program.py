"""Unchanged TensorFlow functions. This file needs TensorFlow; the rest of the project does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from polyjuice.frameworks.errors import FormatError, refused
from polyjuice.frameworks.tensorflow.user_printer import NotCaptured, array_of, capture
from polyjuice.frameworks.user_model import UserModel, unread
from polyjuice.ir import TensorType


def from_function(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    where: str = "function",
) -> UserModel:
    """Return the program of a function, a ``tf.function``, a ``tf.Module`` or a layer, for inputs of these types.

    The graph is unread. The tensors and arrays among the arguments are its inputs, in the order of ``tf.nest.flatten``.
    Other arguments are fixed. ``where`` is the prefix of messages. Raises FormatError.
    """
    example = (args, dict(kwargs or {}))
    values = tf.nest.flatten(example)
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
        arguments, named = tf.nest.pack_sequence_as(example, passed)
        return function(*arguments, **named)

    with refused(f"{where}: TensorFlow cannot trace the function"):
        try:
            examples = tuple(map(array_of, inputs))
            artifact, results = capture(call, inputs)
            graph = unread(list(map(_type, inputs)), list(map(_type, results)))
        except (NotCaptured, TypeError) as error:
            lines = str(error).strip().splitlines()
            raise FormatError(f"{where}: the function cannot be compiled as it is: {lines[0]}") from None
    return UserModel(graph=graph, artifact=artifact, examples=examples)


def _type(tensor: tf.Tensor) -> TensorType:
    array_of(tensor)
    return TensorType(tensor.dtype.name, tuple(tensor.shape))
