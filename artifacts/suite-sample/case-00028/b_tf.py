import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x1):
        c2 = tf.constant(3.0, dtype=tf.float32, shape=())
        v4 = (x1 + c2)
        v5 = tf.minimum(tf.maximum(v4, 0), 6)
        v6 = tf.math.multiply(x1, v5)
        v8 = tf.constant(6.0, dtype=tf.float32, shape=(2, 3))
        v9 = tf.math.reciprocal(v8)
        v13 = v6 * v9
        v14 = tf.floor(v13)
        v7 = -v14
        v17 = tf.constant(4, dtype=tf.int8, shape=(2, 2, 2, 2))
        v18 = tf.math.mod(x0, v17)
        v19 = tf.slice(v18, [1, 0, 0, 0], [1, 2, 2, 2])
        v20 = tf.squeeze(v19, axis=[-4])
        v23 = tf.constant(4, dtype=tf.int8, shape=(2, 2, 2, 2))
        v24 = tf.subtract(v20, v23)
        v25 = tf.slice(v24, [1, 0, 0, 0], [1, 2, 2, 2])
        v10 = tf.reshape(v25, [2, 2, 2])
        v27 = tf.math.reduce_min(x1, axis=[0], keepdims=False)
        v28 = tf.expand_dims(v27, 0)
        v29 = tf.stack([v28, v28], axis=-3)
        v30, v31 = tf.unstack(v29, axis=-3)
        v33 = (x1 + v31)
        v11 = tf.math.equal(v33, x1)
        v12 = tf.subtract(v14, v14)
        return (v7, v10, v11, v12,)
