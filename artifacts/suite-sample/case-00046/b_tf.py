import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c4 = arrays["w_0c5aeb6557961620_33_int32"]
        self.w_c9 = tf.identity(arrays["w_5b03d068b1ffd655_33_int8"])

    def __call__(self, x2, x4, x6, x12):
        v5 = x2 * self.w_c4
        v6 = tf.cast(v5, tf.int8)
        v7 = tf.roll(v6, shift=(30,), axis=(-1,))
        v8 = tf.roll(v7, shift=(-30,), axis=(-1,))
        v13 = tf.math.maximum(tf.math.maximum(tf.math.maximum(v8, self.w_c9), v8), x12)
        v11 = tf.minimum(tf.maximum(x2, -1), 1)
        v12 = tf.raw_ops.AddV2(x=x4, y=v11)
        v15 = v12 + x6
        v18 = tf.math.maximum(v11, v15)
        v19 = tf.math.minimum(v11, v18)
        v20 = tf.add(x4, v19)
        v21 = tf.reshape(x6, [3, 11])
        v22 = tf.reshape(v21, [33])
        v23 = v20 + v22
        v14 = tf.cast(v23, tf.uint8)
        v16 = tf.reduce_sum(tf.math.abs(v20), axis=[0], keepdims=True)
        v26 = tf.clip_by_value(v20, 0, 4)
        v28 = tf.subtract(v26, 0)
        v17 = tf.negative(v28)
        return (v13, v14, v16, v17,)
