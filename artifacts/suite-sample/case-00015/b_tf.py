import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c37 = tf.identity(arrays["w_4bf5122f344554c5_scalar_int8"])

    def __call__(self, x0, x1, x4):
        v3 = x1 - x0
        v4 = abs(v3)
        v5 = v4 + v4
        v6 = tf.transpose(v5, [1, 0])
        v9 = tf.transpose(v4)
        v14 = v6 - v9
        v15 = tf.transpose(v14, [1, 0])
        v16 = tf.raw_ops.AddV2(x=v15, y=v15)
        v17 = tf.transpose(v16)
        v18 = tf.transpose(v17, [1, 0])
        v8 = tf.subtract(v18, tf.multiply(v4, 1))
        v20 = tf.cast(tf.argsort(x4, axis=-1, direction="ASCENDING", stable=True), tf.int64)
        v10 = tf.where(v20 >= v20, v20, v20)
        v22 = tf.negative(x1)
        v12 = v22 ^ v22
        v25 = x0 - x1
        v26 = tf.reverse(v25, axis=[-2])
        v2 = tf.reverse(v26, axis=[-2])
        c18 = tf.constant(1, dtype=tf.int16, shape=())
        v28 = v2 - 1 * c18
        v29 = v12 - 1 * v28
        v30 = tf.subtract(v29, tf.multiply(v12, 1))
        v31 = v30 == v12
        v32 = tf.cast(v31, 'float32')
        v33 = tf.negative(v32)
        v34 = tf.negative(v33)
        v35 = tf.negative(v34)
        v36 = tf.math.rint(v35)
        v37 = -v36
        v38 = -v37
        v11 = -v38
        v40, v41 = tf.split(x4, 2, axis=-1)
        v13 = tf.truncatediv(v40, self.w_c37)
        v44 = tf.repeat(v41, 2, axis=-1)
        v13_1 = v44[0:2:2]
        v46 = tf.truncatediv(x0, 1)
        v7 = tf.subtract(x1, tf.multiply(v46, 1))
        return (v8, v10, v11, v12, v13, v13_1, v2, v7,)
