"""Traced TensorFlow functions as Graphs of the operator table."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
tf = pytest.importorskip("tensorflow")

from polyjuice.given import tensorflow_graph, tensorflow_program  # noqa: E402
from polyjuice.interpret import evaluate  # noqa: E402

R = np.random.default_rng(0)
X = R.normal(size=(4, 6)).astype(np.float32)
Y = R.normal(size=(4, 6)).astype(np.float32)
N = np.array([[5, -7, 100000], [3, 0, 1]], np.int32)
M = np.array([[3, 2, -9], [-3, 7, 11]], np.int32)
WEIGHT = tf.Variable(R.normal(size=(5, 6)).astype(np.float32))

UNARY = (
    *("abs", "sign", "exp", "sqrt", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "erf", "negative"),
    *("reciprocal", "rsqrt", "square", "expm1", "erfc"),
)


@tf.function
def inner(x: Any) -> Any:
    return tf.matmul(x, WEIGHT, transpose_b=True), tf.identity(x)


READ: dict[str, tuple[Any, tuple[Any, ...]]] = {
    **{name: (lambda x, name=name: getattr(tf.math, name)(x), (X,)) for name in UNARY},
    "rounded": (lambda x: (tf.round(x * 3), tf.floor(x), tf.math.ceil(x), tf.math.rint(x)), (X,)),
    "activations": (lambda x: (tf.nn.relu(x), tf.nn.relu6(x), tf.nn.leaky_relu(x), tf.nn.silu(x), tf.nn.gelu(x)), (X,)),
    "arithmetic": (lambda x, y: (x + y, x - y, x * y, x / y, tf.maximum(x, y), tf.minimum(x, y[0])), (X, Y)),
    "power": (lambda x, y: (tf.abs(x) ** y, tf.math.squared_difference(x, y), tf.add_n([x, y, x])), (X, Y)),
    "compared": (lambda x, y: (x > y, x >= y, x < y, x <= y, x == y, x != y, tf.where(x > y, x, y[0])), (X, Y)),
    "logic": (lambda x, y: (~(x > 0) & (y > 0)) | (x > y), (X, Y)),
    "integers": (lambda n, m: (n * m, n % m, tf.bitwise.bitwise_xor(n, m), tf.bitwise.invert(n)), (N, M)),
    "casts": (lambda n: (tf.cast(n, tf.float32) / 3, tf.cast(n, tf.int64), tf.cast(n > 2, tf.float16)), (N,)),
    "reductions": (lambda x: (tf.reduce_sum(x, -1), tf.reduce_mean(x, keepdims=True), tf.reduce_max(x, 0)), (X,)),
    "products": (lambda x: (tf.reduce_prod(x, [0, 1]), tf.reduce_min(x, [1])), (X,)),
    "no axes": (lambda x: tf.reduce_sum(x, []), (X,)),
    "softmax": (lambda x: (tf.nn.softmax(x), tf.nn.log_softmax(x), tf.cumsum(x, 1, exclusive=True)), (X,)),
    "shapes": (lambda x: (tf.reshape(x, [3, -1]), tf.transpose(x), x[None], tf.squeeze(x[:1])), (X,)),
    "new axes": (lambda x: (x[None, ..., 1:2], x[..., 2, None], x[:, None, 1], x[1, ..., None]), (X,)),
    "slices": (lambda x: (x[-1], x[1:, ::2], x[1:-1, 3], x[:, 9:], tf.slice(x, [1, 2], [2, -1])), (X,)),
    "parts": (lambda x: (tf.split(x, 3, 1), tf.split(x, [1, 3]), tf.stack([x, x], 1), tf.concat([x, x], -1)), (X,)),
    "larger": (lambda x: (tf.pad(x, [[1, 0], [0, 2]], constant_values=3.0), tf.tile(x, [2, 1])), (X,)),
    "repeated": (lambda x: (tf.broadcast_to(x[:1], [3, 6]), tf.gather(x, [3, 1], axis=0)), (X,)),
    "resized": (lambda x: tf.image.resize(x[None, :, :, None], [8, 9]), (X,)),
    "batches": (lambda x: tf.matmul(x[:, None], x[:, None], transpose_a=True), (X,)),
    "function": (lambda x: tf.nn.bias_add(inner(x)[0], tf.range(5.0)) + tf.reduce_sum(inner(x)[1]), (X,)),
}

UNREAD: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "drawn indices": (lambda x, n: tf.gather(x, n), (X, np.array([0, 3]))),
    "mean of integers": (lambda n: tf.reduce_mean(n), (N,)),
    "backwards": (lambda x: x[::-1], (X,)),
    "smaller": (lambda x: tf.image.resize(x[None, :, :, None], [2, 3]), (X,)),
    "corners": (
        lambda x: tf.compat.v1.image.resize_bilinear(x[None, :, :, None], [8, 9], align_corners=True),
        (X,),
    ),
    "loop": (lambda x: tf.while_loop(lambda y: tf.reduce_sum(y) < 9, lambda y: [y + 1], [x]), (X,)),
    "another type": (lambda x: tf.math.real(tf.cast(x, tf.complex64)), (X,)),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_read_is_what_the_function_does(name: str) -> None:
    function, inputs = READ[name]
    program = tensorflow_program.from_function(function, inputs)
    assert not program.unread
    wanted = [np.asarray(t) for t in tf.nest.flatten(function(*map(tf.constant, inputs)))]
    found = evaluate(program.graph, inputs)
    assert [(t.dtype, t.shape) for t in program.graph.output_types] == [(str(a.dtype), a.shape) for a in wanted]
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", UNREAD)
def test_what_no_operator_is_exactly_is_not_read(name: str) -> None:
    function, inputs = UNREAD[name]
    assert tensorflow_program.from_function(function, inputs).unread


def test_a_reading_that_differs_from_the_function_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it does so on other values than the owner's alone."""
    assert not tensorflow_program.from_function(tf.nn.relu, (np.abs(X),)).unread
    monkeypatch.setitem(tensorflow_graph._ONE_FOR_ONE, "Relu", ("", "Abs"))
    assert tensorflow_program.from_function(tf.nn.relu, (np.abs(X),)).unread
