import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_c80562c7f8048e61_15_int8"]
        self.w_c7 = tf.identity(arrays["w_85e714cd2cd207ee_32_int8"])

    def __call__(self, x1, x5, x8):
        v3 = tf.maximum(x1, 0)
        v4 = v3 > x8
        v11 = tf.raw_ops.SelectV2(condition=v4, t=v3, e=self.w_c5)
        v16 = tf.cast(tf.truncatemod(tf.cast(x5, tf.int32), tf.cast(self.w_c7, tf.int32)), tf.int8)
        v9 = tf.nn.relu(v3)
        v10 = tf.greater_equal(v9, v3)
        v12 = tf.greater(v3, v9)
        v17 = v10 | v12
        v14 = tf.concat([v3, x5], axis=0)
        v15 = tf.constant(3, dtype=tf.int8, shape=(1,))
        v20 = tf.concat([v14, v15, v14], 0)
        return (v11, v16, v17, v20,)
