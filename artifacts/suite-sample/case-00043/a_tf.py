import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = tf.Variable(arrays["w_969bcbe42d917b14_8x1_uint8"], trainable=False)

    def __call__(self, x0, x1):
        v2 = x1[:, :, None, :]
        v3 = tf.broadcast_to(v2, [8, 8, 2, 4])
        v4 = tf.reshape(tf.math.reduce_sum(v3, axis=[2], keepdims=False), (8, 8, 1, 4))
        v7 = tf.transpose(x0, [0, 1])
        v9 = tf.transpose(v7, perm=[1, 0])
        v8 = tf.multiply(self.w_c5, v9)
        c10 = tf.constant(0, dtype=tf.uint8, shape=())
        v10 = tf.math.greater(c10, x0)
        v16 = tf.clip_by_value(x0, 0, 4)
        v12 = tf.minimum(v16, 3)
        v13 = v9 > v9
        return (v4, v8, v10, v12, v13,)
