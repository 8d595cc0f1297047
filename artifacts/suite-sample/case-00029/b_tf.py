import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x2, x13, x14):
        v4 = tf.argmin(x0, axis=-1, output_type=tf.int64)
        v5 = tf.clip_by_value(v4, 4, 5)
        v6 = tf.where(v5 < 4, tf.constant(4, v5.dtype), v5)
        v9 = tf.clip_by_value(v6, 1, 5)
        v8 = tf.nn.silu(x0)
        v13 = tf.pad(v8, [[1, 2]], constant_values=0.0)
        v14 = v13[1:3]
        v10 = tf.nn.silu(v14)
        v17 = tf.sqrt(tf.reduce_sum(tf.square(x2), axis=[0, 1], keepdims=True))
        v18 = tf.expand_dims(v17, 0)
        v19 = tf.math.reduce_max(v18, axis=[0], keepdims=True)
        v20 = tf.raw_ops.Max(input=v19, axis=[0], keep_dims=False)
        v11 = tf.sign(v20)
        v22 = tf.pad(x2, [[0, 0], [1, 2]], constant_values=0.0)
        v23 = tf.slice(v22, [0, 1], [8, 7])
        v12 = tf.math.sin(v23)
        v25, v26 = tf.split(x13, [1, 1], axis=-3)
        v27, v28 = tf.split(x14, [1, 1], axis=-3)
        v29 = tf.transpose(tf.nn.conv2d(tf.transpose(v25, [0, 2, 3, 1]), tf.transpose(v27, [2, 3, 1, 0]), [1, 1, 2, 1], [[0, 0], [1, 1], [1, 1], [0, 0]]), [0, 3, 1, 2])
        v30 = tf.cast(v29, 'float64')
        v31 = tf.transpose(tf.nn.conv2d(tf.transpose(tf.pad(v26, [[0, 0], [0, 0], [1, 1], [1, 1]]), [0, 2, 3, 1]), tf.transpose(v28, [2, 3, 1, 0]), [1, 1, 2, 1], "VALID"), [0, 3, 1, 2])
        v32 = tf.cast(v31, tf.float64)
        v33 = v30 + v32
        v15 = tf.cast(v33, tf.float32)
        return (v9, v10, v11, v12, v15,)
