import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = tf.Variable(arrays["w_b75b03a503bd8699_2x1_float32"], trainable=False)
        self.w_c10 = tf.Variable(arrays["w_5527d5c4308ffe2d_2x7_float32"], trainable=False)
        self.w_c21 = tf.Variable(arrays["w_eebb6d447aee1add_7x1_float32"], trainable=False)
        self.part = self.Part(arrays)

    def __call__(self, x0, x1, x10, x16):
        v4 = tf.concat([x0, x0, x1], 1)
        v6 = tf.slice(v4, [0, 0], [1, 17])
        v8 = v4[1:2]
        v2 = tf.concat([v6, v8], 0)
        v12 = x0 * self.w_c10
        v13 = tf.linalg.matrix_transpose(v12)
        v14 = tf.transpose(v13, perm=[1, 0])
        v7 = tf.divide(self.w_c8, v14)
        v19 = tf.math.tanh(v14)
        v20 = tf.concat([x10, x10], 0)
        v21, v22 = tf.split(v20, 2, axis=0)
        v11 = v19 + v22
        v39 = tf.constant(2.0, dtype=tf.float32, shape=(2, 7))
        v40 = tf.transpose(v39)
        v41 = tf.transpose(v40, [1, 0])
        v42 = tf.transpose(v41)
        v46 = tf.constant(0.0, dtype=tf.float32, shape=(1,))
        v47 = tf.concat([v46, x16], axis=0)
        v48 = tf.slice(v47, [1], [1])
        v51 = tf.math.tanh(v12)
        v53 = tf.math.multiply(v51, x16)
        v54 = tf.transpose(v53)
        v18 = tf.transpose(v54, perm=[1, 0])
        v5 = tf.where(v14 < -0.5, v14 + 1.0, tf.where(v14 > 0.5, v14 - 1.0, tf.zeros_like(v14)))
        v15, v38 = self.part(v12)
        v43 = tf.math.multiply(v38, v42)
        v44 = tf.transpose(v43, perm=[1, 0])
        v25 = tf.constant(-0.7179115414619446, dtype=tf.float32, shape=(1,))
        v45 = tf.matmul(v44, self.w_c21) + v25
        v17 = tf.truncatemod(v45, v48)
        return (v2, v7, v11, v15, v17, v18, v5,)

    class Part(tf.Module):
        def __init__(self, arrays):
            super().__init__()
            self.w_c21 = tf.Variable(arrays["w_eebb6d447aee1add_7x1_float32"], trainable=False)

        def __call__(self, v12):
            v24 = tf.where(v12 < -0.5, v12 + 1.0, tf.where(v12 > 0.5, v12 - 1.0, tf.zeros_like(v12)))
            v25 = tf.constant(-0.7179115414619446, dtype=tf.float32, shape=(1,))
            v26 = tf.nn.bias_add(2.0 * tf.matmul(v24, self.w_c21), v25)
            v27 = tf.transpose(v26)
            v28 = tf.transpose(v27)
            v29 = tf.linalg.matrix_transpose(v28)
            v30 = tf.sign(v26)
            v31 = tf.transpose(v30, [1, 0])
            v32 = tf.transpose(v31)
            v33 = tf.transpose(v32)
            v34 = tf.math.multiply(v29, v33)
            v15 = tf.transpose(v34, perm=[1, 0])
            v36 = tf.transpose(v24)
            v37 = tf.linalg.matrix_transpose(v36)
            v38 = tf.transpose(v37, perm=[1, 0])
            return (v15, v38,)
