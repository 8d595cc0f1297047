import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c2 = arrays["w_ea2845900b5856c9_scalar_float32"]
        self.w_v8 = tf.identity(arrays["w_a36b10e38f61cda8_2x3_float32"])
        self.w_v17 = tf.Variable(arrays["w_99558a881f0b229e_2x2x2x2_int8"], trainable=False)

    def __call__(self, x0, x1):
        v4 = (x1 + self.w_c2)
        v5 = tf.minimum(tf.maximum(v4, 0), 6)
        v6 = tf.multiply(x1, v5)
        v9 = tf.math.reciprocal(self.w_v8)
        v13 = tf.multiply(v6, v9)
        v14 = tf.math.floor(v13)
        v7 = tf.negative(v14)
        v18 = x0 % self.w_v17
        v19 = v18[1:2]
        v20 = tf.squeeze(v19, axis=[-4])
        v23 = tf.constant(4, dtype=tf.int8, shape=(2, 2, 2, 2))
        v24 = tf.math.subtract(tf.broadcast_to(v20, (2, 2, 2, 2)), v23)
        v25 = v24[1:2]
        v10 = tf.reshape(v25, [2, 2, 2])
        v27 = tf.reduce_min(x1, axis=[0], keepdims=False)
        v28 = tf.reshape(v27, [1, 3])
        v29 = tf.stack([v28, v28], axis=-3)
        v30, v31 = tf.unstack(v29, axis=-3)
        v33 = (x1 + v31)
        v11 = v33 == x1
        v12 = tf.subtract(v14, v14)
        return (v7, v10, v11, v12, v6,)
