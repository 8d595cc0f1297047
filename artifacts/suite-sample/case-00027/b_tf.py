import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c3 = arrays["w_e8338cf094a30add_17x8_int32"]
        self.w_c14 = tf.Variable(arrays["w_e6b67d1900846914_5x8_int32"], trainable=False)

    def __call__(self, x0, x4, x8):
        v4 = tf.math.multiply(x0, self.w_c3)
        v5 = tf.concat([v4, v4], axis=1)
        v6 = tf.slice(v5, [0, 8], [17, 8])
        v7 = tf.cast(v6, 'int8')
        v8 = tf.math.add(x4, x4)
        v10 = ~v8
        v11 = v10 + x4
        v13 = tf.bitwise.invert(v11)
        c12 = tf.constant(0, dtype=tf.int8, shape=())
        v17 = tf.matmul((tf.cast(v7, tf.int32) - tf.cast(c12, tf.int32)), tf.cast(v13, tf.int32))
        v12 = tf.matmul(v17, self.w_c14) + 2 * x0
        v19 = tf.constant(0, dtype=tf.int8, shape=(8,))
        v20 = tf.bitwise.invert(v19)
        v22 = tf.constant(0, dtype=tf.int8, shape=(17, 8))
        v23 = tf.bitwise.invert(v22)
        v24 = tf.transpose(v7, perm=[1, 0])
        v25 = tf.linalg.matrix_transpose(v24)
        v26 = tf.raw_ops.Relu(features=v25)
        v27 = tf.linalg.matrix_transpose(v26)
        v28 = tf.transpose(v27, perm=[1, 0])
        v29 = v23 + v28
        v30 = tf.bitwise.invert(v29)
        v31 = tf.raw_ops.Min(input=v30, axis=[0], keep_dims=False)
        v32 = tf.math.add(v20, v31)
        v14 = tf.bitwise.invert(v32)
        v34 = ~v7
        v35 = ~x8
        v36 = tf.add(v35, 0)
        v37 = ~v36
        v38 = ~v37
        v39 = tf.add(v38, 0)
        v40 = tf.broadcast_to(v39, [17, 8])
        v41 = ~v40
        v42 = tf.add(v34, v41)
        v9 = tf.bitwise.invert(v42)
        v44 = tf.cast(v9, tf.float64)
        v15 = tf.stack([v44, v44], axis=0)
        v16 = tf.nn.swish(v44)
        return (v12, v14, v15, v16, v9,)
