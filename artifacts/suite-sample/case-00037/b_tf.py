import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c33 = arrays["w_c91c540df15c99f0_5x2_float64"]

    def __call__(self, x0, x2, x4):
        v3 = tf.transpose(x4, perm=[0, 1, 3, 2])
        v4 = tf.matmul(tf.linalg.matrix_transpose(x0), v3, transpose_a=True)
        v6 = tf.where(v4 >= v4, v4, v4)
        v7 = tf.expand_dims(v6, 0)
        v8 = tf.tile(v7, [2, 1, 1, 1, 1])
        v9 = tf.minimum(v4, v8)
        v11 = v9[1:2]
        v13 = tf.reshape(v11, [5, 1, 32, 32])
        v16 = tf.divide(v13, 4.0)
        v18 = tf.transpose(v16, perm=[0, 3, 2, 1])
        v19 = tf.transpose(v18, [0, 3, 2, 1])
        v20 = tf.transpose(v19, perm=[0, 3, 2, 1])
        v21 = tf.nn.softmax(v20, axis=1)
        v22 = tf.transpose(v21, perm=[0, 3, 2, 1])
        v23 = tf.transpose(v22, perm=[0, 3, 2, 1])
        v24 = tf.transpose(v23, perm=[0, 3, 2, 1])
        v25 = x4[:, :, 0:32:2]
        v26 = x4[:, :, 1:32:2]
        v27 = tf.stack([v25, v26], axis=3)
        v28 = tf.reshape(v27, [5, 1, 32, 1])
        v10 = v24 @ v28
        v30 = tf.cast(x0, tf.int16)
        v31 = tf.transpose(v30, [2, 1, 3, 0])
        v12 = tf.concat([v31, v31], axis=3)
        v14 = tf.math.add(v31, -1)
        v35 = tf.constant(1.0, dtype=tf.float64, shape=(5,))
        v36 = tf.matmul(x2, self.w_c33, transpose_b=True) + v35
        v37 = tf.pad(v36, [[0, 0], [1, 2]], constant_values=0.0)
        v17 = tf.pad(v37[:, 1:6], [[0, 0], [0, 0]], constant_values=0.0)
        return (v10, v12, v14, v17,)
