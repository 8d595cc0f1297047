import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c18 = arrays["w_47dc540c94ceb704_scalar_int16"]
        self.w_c37 = tf.Variable(arrays["w_4bf5122f344554c5_scalar_int8"], trainable=False)

    def __call__(self, x0, x1, x4):
        v3 = tf.math.subtract(x1, x0)
        v4 = tf.abs(v3)
        v9 = tf.linalg.matrix_transpose(v4)
        v20 = tf.cast(tf.argsort(x4, axis=0, direction="ASCENDING", stable=True), tf.int64)
        v10 = tf.maximum(v20, v20)
        v22 = -x1
        v12 = v22 ^ v22
        v25 = x0 - x1
        v26 = v25[::-1]
        v2 = tf.reverse(v26, axis=[0])
        v28 = v2 - 1 * self.w_c18
        v29 = tf.subtract(v12, tf.multiply(v28, 1))
        v30 = tf.subtract(v29, tf.multiply(v12, 1))
        v31 = tf.equal(v30, v12)
        v32 = tf.cast(v31, 'float32')
        v33 = tf.negative(v32)
        v34 = tf.negative(v33)
        v35 = tf.negative(v34)
        v36 = tf.math.rint(v35)
        v37 = -v36
        v38 = -v37
        v11 = -v38
        v40, v41 = tf.split(x4, [1, 1], axis=0)
        v13 = tf.truncatediv(v40, self.w_c37)
        v44 = tf.repeat(v41, 2, axis=0)
        v13_1 = v44[0:2:2]
        v46 = tf.truncatediv(x0, self.w_c18)
        v7 = x1 - 1 * v46
        v16, = self.around(v4, v9)
        v17 = tf.transpose(v16)
        v18 = tf.transpose(v17, [1, 0])
        v8 = tf.subtract(v18, tf.multiply(v4, 1))
        return (v8, v10, v11, v12, v13, v13_1, v2, v7,)

    def around(self, v4, v9):
        @tf.function
        def part(v4, v9):
            v5 = v4 + v4
            v6 = tf.linalg.matrix_transpose(v5)
            v14 = v6 - v9
            v15 = tf.transpose(v14, [1, 0])
            v16 = v15 + v15
            return (v16,)

        return part(v4, v9)
