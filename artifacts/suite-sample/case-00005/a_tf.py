import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x1, x3, x7, x10):
        v4 = tf.transpose(tf.nn.convolution(tf.transpose(x1, [0, 2, 1]), tf.transpose(x3, [2, 1, 0]), strides=[3], padding="SAME", dilations=[1]), [0, 2, 1])
        v5 = tf.transpose(tf.nn.max_pool1d(tf.transpose(tf.pad(v4, [[0, 0], [0, 0], [1, 1]], constant_values=float("-inf")), [0, 2, 1]), [2], [1], "VALID"), [0, 2, 1])
        v8 = tf.concat([v5, x7], 0)
        v7 = abs(x3)
        v9 = v7 + x10
        v12 = tf.math.add(v9, x3)
        v11 = tf.transpose(v5, [2, 1, 0])
        v13 = tf.math.log_softmax(v11, axis=0)
        v16 = tf.negative(v13)
        v15 = tf.expand_dims(tf.math.argmin(v16, axis=2, output_type=tf.int64), 2)
        return (v8, v12, v15, v13,)
