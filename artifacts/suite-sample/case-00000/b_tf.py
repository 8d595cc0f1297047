import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c21 = tf.identity(arrays["w_d88c86f15bbea365_scalar_float32"])
        self.w_v22 = tf.identity(arrays["w_8f96e476c1f8a5ae_16x7_float32"])

    def __call__(self, x0, x8):
        v7 = tf.math.reduce_min(x0, axis=[1], keepdims=False)
        v8 = v7[:, None]
        v28 = tf.maximum(x0, v8)
        c29 = tf.constant(0.0, dtype=tf.float32, shape=())
        v31 = tf.math.maximum(tf.math.maximum(tf.math.maximum(v28, c29), x8), x8)
        v35 = tf.linalg.matrix_transpose(self.w_v22)
        v36 = tf.experimental.numpy.moveaxis(v35, [-1, -2], [-2, -1])
        v40 = tf.negative(v31)
        v19, v26, v14 = self.around()(x0, v8, v31, v36, x8, v40)
        v20 = ~v19
        v21 = ~v20
        c14 = tf.constant(-2.0, dtype=tf.float32, shape=())
        v6 = tf.where(v21, c14, v26)
        return (v6, v14,)

    def around(self):
        @tf.function(jit_compile=True)
        def part(x0, v8, v31, v36, x8, v40):
            v2, v3 = tf.split(x0, [14, 2], axis=-2)
            v4 = tf.concat([v2, v3], -2)
            v5 = tf.transpose(v4, [1, 0])
            v9 = tf.broadcast_to(v8, [16, 7])
            v10 = tf.experimental.numpy.moveaxis(v9, [-1, -2], [-2, -1])
            v11 = tf.maximum(v5, v10)
            v12 = tf.transpose(v11)
            v13 = -v12
            v15 = -v13
            v16 = tf.constant(-2.0, dtype=tf.float32, shape=(16, 7))
            v17 = -v16
            v18 = -v17
            v19 = v15 < v18
            v23 = v12 > self.w_c21
            v24 = ~v23
            v25 = tf.logical_not(v24)
            v26 = tf.where(v25, self.w_c21, v12)
            v32 = tf.linalg.matrix_transpose(v31)
            v33 = tf.transpose(v32)
            v34 = tf.transpose(v33, perm=[1, 0])
            v37 = tf.transpose(v36, [1, 0])
            v38 = tf.multiply(v34, v37)
            v39 = tf.experimental.numpy.moveaxis(v38, [-1, -2], [-2, -1])
            c29 = tf.constant(0.0, dtype=tf.float32, shape=())
            v41 = tf.maximum(tf.maximum(tf.maximum(v12, c29), x8), tf.broadcast_to(x8, (16, 7)))
            v42, v43 = (tf.reduce_min(v41, axis=-1, keepdims=True), tf.reduce_max(v41, axis=-1, keepdims=True))
            v44 = tf.negative(v43)
            v46 = ((v39 + v40) + v44)
            v47 = tf.math.exp(v46)
            v48 = tf.math.reduce_sum(v47, axis=[1], keepdims=True)
            v14 = tf.divide(v47, v48)
            return (v19, v26, v14,)

        return part
