import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c18 = arrays["w_c80562c7f8048e61_15_int8"]
        self.w_c20 = tf.identity(arrays["w_85e714cd2cd207ee_32_int8"])

    def __call__(self, x1, x5, x8, v36):
        v3 = ~x8
        v4 = tf.bitwise.invert(v3)
        v5 = tf.sign(x1)
        v7 = tf.constant(0, dtype=tf.int8, shape=(15,))
        v8 = tf.bitwise.invert(v7)
        v9 = ~x1
        v10 = tf.less(v8, v9)
        v12 = -x1
        v13 = tf.raw_ops.SelectV2(condition=v10, t=v12, e=x1)
        v14 = tf.math.multiply(v5, v13)
        v15 = tf.maximum(v14, 0)
        v18 = ~v15
        v19 = ~v18
        v21 = tf.less(v4, v19)
        v11 = tf.where(v21, v15, self.w_c18)
        v23 = tf.truncatediv(x5, self.w_c20)
        v24 = tf.multiply(self.w_c20, v23)
        v16 = tf.math.subtract(x5, v24)
        v26 = tf.nn.relu(x1)
        v27 = tf.nn.relu(v26)
        v28 = tf.raw_ops.AddV2(x=v27, y=v27)
        v29 = v28 - v27
        v30 = tf.bitwise.invert(v29)
        v31 = ~v30
        v32 = tf.math.less(v31, v19)
        v33 = ~v32
        v17 = tf.logical_or(v33, v32)
        v35 = tf.concat([v15, x5], -1)
        v20 = tf.concat([v35, v36, v35], axis=-1)
        return (v11, v16, v17, v20,)
