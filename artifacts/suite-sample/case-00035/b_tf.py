import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = tf.Variable(arrays["w_3e37709d9515ace5_3x3_float16"], trainable=False)
        self.w_c12 = tf.identity(arrays["w_96a296d224f285c6_scalar_float16"])
        self.w_c22 = tf.identity(arrays["w_e00e5eb9444182f3_scalar_float32"])
        self.w_c42 = tf.Variable(arrays["w_47b51cd23dca4208_5x5_float32"], trainable=False)

    def __call__(self, x0, x1, x7, x9):
        v4 = x0[:, :, 3:4]
        v5 = tf.math.sign(v4)
        v7 = tf.math.abs(v4)
        v6 = tf.multiply(v5, v7)
        v9 = 0.5 * tf.matmul(x7, self.w_c8, transpose_a=True) + 0.5 * x9
        v10 = tf.reverse(v9, axis=[-2])
        v12 = tf.reverse(v10, axis=[-2])
        v14 = tf.subtract(v12, self.w_c12)
        v15 = tf.math.subtract(v14, self.w_c12)
        v16 = -v15
        v17 = -v16
        v13 = tf.constant(0.0, dtype=tf.float16, shape=(2, 3))
        v18 = -v13
        v20 = -v18
        v21 = v17 < v20
        v11 = tf.raw_ops.SelectV2(condition=v21, t=self.w_c12, e=v12)
        c24 = tf.constant(2.0, dtype=tf.float32, shape=())
        v26 = tf.maximum(c24, x1)
        v27 = tf.sign(v26)
        v28 = abs(v26)
        v29 = tf.multiply(v27, v28)
        v30 = tf.minimum(self.w_c22, v29)
        v31 = -v30
        v32 = -v31
        v33 = tf.negative(v32)
        v34 = tf.expand_dims(x1, 0)
        v35 = tf.reduce_max(v34, axis=[0], keepdims=False)
        v36 = tf.transpose(v35, [0, 1, 3, 2])
        v37 = tf.matmul(tf.linalg.matrix_transpose(v33), v36, transpose_a=True)
        v38 = tf.negative(v37)
        v41 = tf.math.multiply(v38, 0.125)
        v44 = tf.math.add(v41, self.w_c42)
        v45 = tf.reshape(v44, [125, 5])
        v46 = tf.math.softmax(v45, axis=-1)
        v19 = tf.reshape(v46, [5, 5, 5, 5])
        return (v6, v11, v19,)
