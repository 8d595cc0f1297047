import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c35 = tf.identity(arrays["w_df3f619804a92fdb_scalar_float32"])

    def __call__(self, x1, x3, x7, x10):
        v4 = tf.reshape(x1, [1, 64])
        v5 = tf.reshape(v4, [4, 4, 4])
        v6 = x3[:, 0]
        v7 = tf.concat([tf.expand_dims(v6, 1), x3[:, 1:]], axis=1)
        v9 = tf.transpose(tf.nn.convolution(tf.transpose(v5, [0, 2, 1]), tf.transpose(v7, [2, 1, 0]), strides=[3], padding="SAME", dilations=[1]), [0, 2, 1])
        c9 = tf.constant(0.0, dtype=tf.float32, shape=())
        v11 = v9 < c9
        v14 = tf.where(v11, c9, v9)
        v16 = tf.transpose(tf.nn.max_pool1d(tf.transpose(tf.pad(v14, [[0, 0], [0, 0], [1, 1]], constant_values=float("-inf")), [0, 2, 1]), [2], [1], "VALID"), [0, 2, 1])
        v17 = tf.transpose(tf.nn.convolution(tf.transpose(x1, [0, 2, 1]), tf.transpose(x3, [2, 1, 0]), strides=[3], padding="SAME", dilations=[1]), [0, 2, 1])
        v18 = tf.transpose(tf.nn.max_pool1d(tf.transpose(tf.pad(v17, [[0, 0], [0, 0], [1, 1]], constant_values=float("-inf")), [0, 2, 1]), [2], [1], "VALID"), [0, 2, 1])
        v19 = -v18
        c17 = tf.constant(0.0, dtype=tf.float32, shape=())
        v21 = tf.less(v19, tf.broadcast_to(c17, (4, 7, 3)))
        v22 = tf.where(v21, c17, v19)
        v23 = -v22
        v24 = v16 + v23
        v25 = tf.reshape(x7, [1, 84])
        v26 = tf.reshape(v25, [4, 7, 3])
        v27, v28 = tf.split(v26, 2, axis=0)
        v29 = tf.concat([v24, v27], 0)
        v30 = tf.pad(v29, [[0, 2], [0, 0], [0, 0]], constant_values=0.0)
        v31 = tf.concat([v18, x7], axis=0)
        v32, v33 = tf.split(v31, [6, 2], axis=0)
        v34 = tf.pad(v33, [[6, 0], [0, 0], [0, 0]], constant_values=0.0)
        v8 = tf.raw_ops.AddV2(x=v30, y=v34)
        v36 = -v7
        v38 = v7 < tf.broadcast_to(self.w_c35, (7, 4, 1))
        v39 = tf.cast(v38, tf.float32)
        v40 = v36 * v39
        c40 = tf.constant(1.0, dtype=tf.float32, shape=())
        v42 = tf.math.subtract(c40, v39)
        v43 = v7 * v42
        v44 = tf.math.add(v40, v43)
        v45 = v44 + x10
        v12 = tf.math.add(v45, v7)
        v47 = tf.transpose(v24, [2, 1, 0])
        v13 = tf.math.log_softmax(v47, axis=0)
        v49 = -v13
        v15 = tf.expand_dims(tf.math.argmin(v49, axis=2, output_type=tf.int64), 2)
        return (v8, v12, v15, v13,)
