import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = tf.Variable(arrays["w_280089037464a10e_16_int32"], trainable=False)
        self.w_c9 = tf.Variable(arrays["w_8843c68b7a13a93f_2x16_int32"], trainable=False)
        self.w_c29 = arrays["w_daed145f5694a2a8_7x5_float32"]

    def __call__(self, x1, x10, x12, x20, x23):
        v7 = tf.constant(4, dtype=tf.int32, shape=(16,))
        v8 = tf.expand_dims(v7, 0)
        v10 = tf.linalg.matvec(self.w_c9, x1, transpose_a=True)
        v12 = tf.concat([v10, v10], 0)
        v13, v14 = tf.split(v12, [16, 16], axis=0)
        v15 = tf.reshape(v14, [1, 16])
        v16 = tf.math.multiply(v8, v15)
        v18 = tf.squeeze(v16, axis=[0])
        v19 = tf.math.add(self.w_c5, v18)
        v20 = x10[0:1]
        v23 = tf.reshape(v20, [])
        v24 = tf.concat([tf.expand_dims(v23, 0), x10[1:]], axis=0)
        v11 = tf.math.add(v19, v24)
        v28 = tf.expand_dims(x12, 1)
        v29 = tf.squeeze(v28, axis=[1])
        c22 = tf.constant(0.5, dtype=tf.float32, shape=())
        v30 = tf.math.multiply(c22, v29)
        v31 = tf.constant(1.0, dtype=tf.float32, shape=(4, 5))
        v32 = tf.matmul(v30, v31, transpose_a=True) + 0.5 * self.w_c29
        v17 = tf.math.atanh(v32)
        v34 = tf.maximum(v32, 0)
        c33 = tf.constant(-1.0, dtype=tf.float32, shape=())
        v36 = tf.math.multiply(c33, v32)
        v37 = tf.maximum(v36, 0)
        v38 = tf.add(v34, v37)
        v21 = tf.math.multiply(x20, v38)
        v22 = tf.clip_by_value(v32, 0.0, 3.0)
        v41 = tf.pad(x23, [[0, 0], [1, 2]], constant_values=0.0)
        v42 = v41[:, 1:17]
        c42 = tf.constant(1.9965101480484009, dtype=tf.float32, shape=())
        v25 = tf.matmul(v32, v42, transpose_a=True) + 0.5 * c42
        return (v11, v17, v21, v22, v25,)
