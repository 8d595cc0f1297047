import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_df3f619804a92fdb_scalar_float32"]
        self.w_c13 = arrays["w_dee9bee38d8ce139_2_float32"]

    def __call__(self, x0, x1, x2, x11):
        v3 = tf.raw_ops.Max(input=x2, axis=[0], keep_dims=True)
        v10 = tf.raw_ops.Relu(features=x0)
        v11 = tf.subtract(self.w_c5, v10)
        v13 = tf.transpose(tf.nn.max_pool1d(tf.transpose(v11, [0, 2, 1]), [1], [1], "SAME"), [0, 2, 1])
        v7 = tf.where(v13 > -1.0, v13, tf.zeros_like(v13))
        v8 = x1[0:1:3, 0:3]
        v9 = tf.math.reciprocal(x0)
        v12 = tf.transpose((tf.nn.conv1d(tf.transpose(v10, [0, 2, 1]), tf.transpose(x11, [2, 1, 0]), [1, 1, 1], "SAME") + self.w_c13), [0, 2, 1])
        v15 = tf.transpose(tf.nn.max_pool1d(tf.transpose(v12, [0, 2, 1]), [1], [1], "SAME"), [0, 2, 1])
        return (v3, v7, v8, v9, v15, v12, v11,)
