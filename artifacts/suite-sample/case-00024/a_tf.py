import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_c80562c7f8048e61_15_int8"]
        self.w_c7 = tf.Variable(arrays["w_85e714cd2cd207ee_32_int8"], trainable=False)

    def __call__(self, x1, x5, x8):
        v3 = tf.nn.relu(x1)
        v4 = tf.math.greater(v3, x8)
        v11 = tf.where(v4, v3, self.w_c5)
        v16 = tf.cast(tf.truncatemod(tf.cast(x5, tf.int32), tf.cast(self.w_c7, tf.int32)), tf.int8)
        v9 = tf.nn.relu(v3)
        v10 = tf.math.greater_equal(v9, v3)
        v12 = v3 > v9
        v17 = tf.math.logical_or(v10, v12)
        v14 = tf.concat([v3, x5], 0)
        v15 = tf.constant(3, dtype=tf.int8, shape=(1,))
        v20 = tf.concat([v14, v15, v14], axis=0)
        return (v11, v16, v17, v20,)
