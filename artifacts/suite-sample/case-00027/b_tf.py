import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c14 = tf.identity(arrays["w_e6b67d1900846914_5x8_int32"])

    def __call__(self, x0, x4, x8, c3):
        v4 = tf.multiply(x0, c3)
        v5 = tf.concat([v4, v4], axis=1)
        v6 = tf.slice(v5, [0, 8], [17, 8])
        v7 = tf.cast(v6, 'int8')
        v8 = x4 + x4
        v10 = tf.bitwise.invert(v8)
        v11 = v10 + x4
        v13 = ~v11
        c12 = tf.constant(0, dtype=tf.int8, shape=())
        v17 = tf.matmul((tf.cast(v7, tf.int32) - tf.cast(c12, tf.int32)), tf.cast(v13, tf.int32))
        v12 = tf.matmul(v17, self.w_c14) + 2 * x0
        v19 = tf.constant(0, dtype=tf.int8, shape=(8,))
        v20 = ~v19
        v22 = tf.constant(0, dtype=tf.int8, shape=(17, 8))
        v23 = ~v22
        v24 = tf.transpose(v7, [1, 0])
        v25 = tf.transpose(v24)
        v26 = tf.maximum(v25, 0)
        v27 = tf.transpose(v26, [1, 0])
        v28 = tf.transpose(v27, [1, 0])
        v29 = tf.raw_ops.AddV2(x=v23, y=v28)
        v30 = ~v29
        v31 = tf.math.reduce_min(v30, axis=[0], keepdims=False)
        v32 = v20 + v31
        v14 = ~v32
        v34 = ~v7
        v35 = tf.bitwise.invert(x8)
        c19 = tf.constant(0, dtype=tf.int8, shape=())
        v36 = tf.raw_ops.AddV2(x=v35, y=c19)
        v37 = ~v36
        v38 = ~v37
        v39 = tf.raw_ops.AddV2(x=v38, y=c19)
        v40 = tf.broadcast_to(v39, [17, 8])
        v41 = ~v40
        v42 = v34 + v41
        v9 = ~v42
        v44 = tf.cast(v9, tf.float64)
        v15 = tf.stack([v44, v44], axis=0)
        v16 = tf.nn.swish(v44)
        return (v12, v14, v15, v16, v9,)
