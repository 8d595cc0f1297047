import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c11 = tf.Variable(arrays["w_b5628088dc081b3f_5x7_float32"], trainable=False)

    def __call__(self, x1, x2, x6, x9, x16):
        v5 = tf.tensordot(x1, x2, axes=0)
        v4, v4_1 = (tf.sort(v5, axis=-2, direction="DESCENDING"), tf.cast(tf.argsort(v5, axis=-2, direction="DESCENDING", stable=True), tf.int64))
        v7 = tf.math.xlogy(v5, x6)
        v11 = tf.transpose(v5, perm=[0, 1])
        v12 = tf.matmul(v11, x9, transpose_a=True) + 0.30000001192092896 * self.w_c11
        v13, v14 = tf.split(v12, [2, 5], axis=-1)
        v16 = tf.concat([v13, v14], axis=-1)
        v15 = tf.matmul(v12, v16, transpose_a=True)
        v17 = tf.concat([v16, x16], -2)
        v18 = tf.transpose(v12, perm=[0, 1])
        return (v4, v4_1, v7, v15, v17, v18,)
