import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_6c3c396ed6b5c36d_scalar_float64"]
        self.w_v30 = tf.Variable(arrays["w_353c38352a855c80_5x8x5x5x1_bool"], trainable=False)

    def __call__(self, x2, x3):
        v4 = x3 > tf.constant(128, tf.uint8)
        v3 = tf.identity(x2)
        v5 = tf.identity(v3)
        v7 = tf.math.multiply(self.w_c5, self.w_c5)
        v8 = tf.math.multiply(v7, v7)
        v6 = v5 == v8
        v13, v15 = tf.split(x3, [3, 2], axis=3)
        v16 = v15[:, :, 0:1]
        d0 = tf.slice(v15, [0, 0, 1, 0, 0], [5, 8, 4, 2, 5])
        v7_1 = tf.concat([v16, d0], axis=2)
        v10, v20 = tf.split(v7_1, [3, 2], axis=0)
        v22 = tf.split(v15, [3, 2], axis=0)[1]
        v23 = tf.slice(v22, [0, 0, 0, 0, 0], [2, 8, 1, 2, 5])
        d1 = v22[:, :, 1:5]
        v10_1 = tf.concat([v23, d1], 2)
        v26 = tf.where(v5 < 0.0, tf.constant(0.0, v5.dtype), v5)
        c20 = tf.constant(2.0, dtype=tf.float64, shape=())
        v27 = tf.minimum(c20, v26)
        v12 = tf.greater(v27, v27)
        v29 = tf.expand_dims(tf.math.argmax(x3, axis=4, output_type=tf.int64), 4)
        v31 = tf.cast(self.w_v30, 'int64')
        v32 = tf.negative(v31)
        v33 = v29 & v32
        v14 = tf.bitwise.bitwise_and(v33, v32)
        v35 = tf.transpose(v13, perm=[4, 2, 1, 0, 3])
        c33 = tf.constant(1, dtype=tf.uint8, shape=())
        v37 = tf.math.maximum(v35, tf.broadcast_to(c33, (5, 5, 8, 5, 3)))
        v38 = tf.multiply(v35, v37)
        v39 = tf.reshape(v38, [1, 3000])
        v17 = tf.reshape(v39, [5, 5, 8, 5, 3])
        return (v4, v6, v10, v10_1, v12, v14, v17, v7_1, v29,)
