import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c18 = arrays["w_b5628088dc081b3f_5x7_float32"]

    def __call__(self, x1, x2, x6, x9, x16):
        v5 = tf.tensordot(x1, x2, axes=0)
        v6 = tf.add_n([v5, v5])
        v8 = v6 - v5
        v4, v4_1 = (tf.sort(v8, axis=-2, direction="DESCENDING"), tf.cast(tf.argsort(v8, axis=-2, direction="DESCENDING", stable=True), tf.int64))
        c10 = tf.constant(0.0, dtype=tf.float32, shape=())
        v12 = tf.math.equal(v8, c10)
        v13 = tf.math.log(x6)
        v16 = tf.math.multiply(v13, v8)
        v7 = tf.where(v12, c10, v16)
        v20 = tf.transpose(v8, perm=[0, 1])
        v21 = tf.matmul(v20, x9, transpose_a=True) + 0.30000001192092896 * self.w_c18
        v22 = tf.transpose(v5, [0, 1])
        v23 = tf.matmul(v22, x9, transpose_a=True) + 0.30000001192092896 * self.w_c18
        v24, v25 = tf.split(v23, [2, 5], axis=-1)
        v26 = tf.pad(v24, [[0, 0], [1, 2]], constant_values=0.0)
        v27 = tf.pad(v26[:, 1:3], [[0, 0], [0, 0]], constant_values=0.0)
        v28 = tf.concat([v25, v25], -2)
        v29, v30 = tf.split(v28, [5, 5], axis=-2)
        v31 = tf.concat([v27, v30], -1)
        v15 = tf.matmul(v21, v31, transpose_a=True)
        v33 = tf.add_n([x16, x16])
        v34 = tf.math.subtract(v33, x16)
        v17 = tf.concat([v31, v34], -2)
        v18 = tf.transpose(v21, perm=[0, 1])
        return (v4, v4_1, v7, v15, v17, v18,)
