import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x1, x5, x9, c18):
        v3 = tf.concat([x1, x1], -2)
        v5 = tf.concat([v3, v3], axis=-2)
        v6 = tf.concat([v5, v5], -2)
        v7, v8 = tf.split(v6, 2, axis=-2)
        v9, v10 = tf.split(v8, 2, axis=-2)
        v12, v13 = tf.split(v10, [7, 7], axis=-2)
        v14 = tf.raw_ops.Max(input=v13, axis=[1], keep_dims=False)
        v15 = tf.expand_dims(v14, 1)
        v17 = tf.reshape(v15, [1, 7, 1, 1])
        v18 = tf.broadcast_to(v17, [1, 7, 7, 1])
        v19 = tf.reshape(v18, [7, 7])
        v4 = v13 - v19
        v11, v45 = self.around(x5, x9, c18)
        v16 = tf.raw_ops.Mean(input=v45, axis=[2], keep_dims=True)
        return (v4, v11, v16,)

    @tf.function(jit_compile=True)
    def around(self, x5, x9, c18):
        return self.part(x5, x9, c18)

    @tf.function(jit_compile=True)
    def part(self, x5, x9, c18):
        v21 = tf.transpose(tf.nn.conv1d(tf.transpose(x5, [0, 2, 1]), tf.transpose(c18, [2, 1, 0]), [1, 1, 1], "VALID"), [0, 2, 1])
        v22 = v21[:, :, 0:1]
        v23 = tf.reduce_max(v22, axis=[2], keepdims=False)
        v24 = tf.concat([tf.expand_dims(v23, 2), v21[:, :, 1:]], axis=2)
        v26 = tf.concat([x9, x9], axis=-1)
        v27 = tf.concat([v26, v26], -1)
        v28 = tf.concat([v27, v27], -1)
        v29, v30 = tf.split(v28, [12, 12], axis=-1)
        v31, v32 = tf.split(v30, 2, axis=-1)
        v33, v34 = tf.split(v32, [3, 3], axis=-1)
        v25 = tf.constant(3.0, dtype=tf.float32, shape=(3,))
        v35 = tf.constant(4.0, dtype=tf.float32, shape=(3,))
        v11 = tf.transpose(tf.nn.batch_normalization(tf.transpose(v24, [0, 2, 1]), v34, v35, v34, v25, 9.999999747378752e-06), [0, 2, 1])
        v37 = tf.slice(v24, [0, 2, 0], [1, 1, 6])
        v38 = tf.raw_ops.Mean(input=v37, axis=[2], keep_dims=True)
        v40 = tf.math.subtract(v37, v38)
        v41 = tf.negative(v40)
        v42 = -v41
        v43 = -v42
        v44 = v43 * v40
        v45 = tf.negative(v44)
        return (v11, v45,)
