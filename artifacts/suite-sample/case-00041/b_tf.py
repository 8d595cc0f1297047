import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = arrays["w_3e37709d9515ace5_3x3_float16"]
        self.w_c39 = tf.Variable(arrays["w_31b67dba7cfd6e2d_scalar_float32"], trainable=False)
        self.w_c42 = tf.Variable(arrays["w_47b51cd23dca4208_5x5_float32"], trainable=False)

    def __call__(self, x0, x1, x7, x9):
        v4 = x0[:, :, 3:4]
        v5 = tf.math.sign(v4)
        v7 = abs(v4)
        v6 = tf.math.multiply(v5, v7)
        v9 = 0.5 * tf.matmul(x7, self.w_c8, transpose_a=True) + 0.5 * x9
        v10 = v9[::-1]
        v12 = tf.reverse(v10, axis=[0])
        v14 = tf.subtract(v12, 0.0)
        v15 = tf.math.subtract(v14, 0.0)
        v16 = tf.negative(v15)
        v17 = -v16
        v13 = tf.constant(0.0, dtype=tf.float16, shape=(2, 3))
        v18 = -v13
        v20 = -v18
        v21 = tf.less(v17, v20)
        c12 = tf.constant(0.0, dtype=tf.float16, shape=())
        v11 = tf.raw_ops.SelectV2(condition=v21, t=c12, e=v12)
        c24 = tf.constant(2.0, dtype=tf.float32, shape=())
        v26 = tf.maximum(c24, x1)
        v27 = tf.sign(v26)
        v28 = tf.abs(v26)
        v29 = v27 * v28
        c22 = tf.constant(1.0, dtype=tf.float32, shape=())
        v30 = tf.math.minimum(c22, v29)
        v31 = tf.negative(v30)
        v32 = -v31
        v33 = tf.negative(v32)
        v34 = tf.expand_dims(x1, 0)
        v35 = tf.math.reduce_max(v34, axis=[0], keepdims=False)
        v36 = tf.transpose(v35, perm=[0, 1, 3, 2])
        v37 = v33 @ v36
        v38 = -v37
        v41 = tf.multiply(v38, self.w_c39)
        v44 = v41 + self.w_c42
        v45 = tf.reshape(v44, [125, 5])
        v46 = tf.math.softmax(v45, axis=1)
        v19 = tf.reshape(v46, [5, 5, 5, 5])
        return (v6, v11, v19,)
