import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v16 = tf.identity(arrays["w_24b3eef7633d47ec_16x7_float32"])

    def __call__(self, x0, x8):
        v2, v3 = tf.split(x0, [14, 2], axis=-2)
        v4 = tf.concat([v2, v3], -2)
        v5 = tf.transpose(v4, [1, 0])
        v7 = tf.reduce_min(x0, axis=[1], keepdims=False)
        v8 = v7[:, None]
        v9 = tf.broadcast_to(v8, [16, 7])
        v10 = tf.experimental.numpy.moveaxis(v9, [-1, -2], [-2, -1])
        v11 = tf.where(v5 >= v10, v5, v10)
        v12 = tf.transpose(v11, perm=[1, 0])
        v13 = tf.negative(v12)
        v15 = -v13
        v17 = tf.negative(self.w_v16)
        v18 = -v17
        v19 = v15 < v18
        v20 = ~v19
        v21 = tf.logical_not(v20)
        c21 = tf.constant(2.0, dtype=tf.float32, shape=())
        v23 = tf.math.greater(v12, c21)
        v24 = tf.logical_not(v23)
        v25 = tf.logical_not(v24)
        v26 = tf.where(v25, c21, v12)
        c14 = tf.constant(-2.0, dtype=tf.float32, shape=())
        v6 = tf.raw_ops.SelectV2(condition=v21, t=tf.broadcast_to(c14, (16, 7)), e=v26)
        v28 = tf.maximum(x0, v8)
        c29 = tf.constant(0.0, dtype=tf.float32, shape=())
        v31 = tf.math.maximum(tf.math.maximum(tf.math.maximum(v28, c29), x8), x8)
        v32 = tf.linalg.matrix_transpose(v31)
        v33 = tf.transpose(v32, perm=[1, 0])
        v34 = tf.transpose(v33, perm=[1, 0])
        v22 = tf.constant(2.0, dtype=tf.float32, shape=(16, 7))
        v35 = tf.transpose(v22, [1, 0])
        v36 = tf.experimental.numpy.moveaxis(v35, [-1, -2], [-2, -1])
        v37 = tf.linalg.matrix_transpose(v36)
        v38 = tf.math.multiply(v34, v37)
        v39 = tf.experimental.numpy.moveaxis(v38, [-1, -2], [-2, -1])
        v40 = tf.negative(v31)
        v41 = tf.where(tf.where(tf.where(v12 >= c29, v12, c29) >= x8, tf.where(v12 >= c29, v12, c29), x8) >= x8, tf.where(tf.where(v12 >= c29, v12, c29) >= x8, tf.where(v12 >= c29, v12, c29), x8), x8)
        v42, v43 = (tf.reduce_min(v41, axis=-1, keepdims=True), tf.reduce_max(v41, axis=-1, keepdims=True))
        v44 = tf.negative(v43)
        v46 = ((v39 + v40) + v44)
        v47 = tf.exp(v46)
        v48 = tf.raw_ops.Sum(input=v47, axis=[1], keep_dims=True)
        v14 = v47 / v48
        return (v6, v14,)
