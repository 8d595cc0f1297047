import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c24 = tf.identity(arrays["w_8ce9e5e1f1024c4b_3x2x2_uint8"])

    def __call__(self, x0, x1, x5, x11, x13, x15):
        v3 = tf.math.multiply(x1, x1)
        v9 = tf.math.multiply(x5, 2)
        v11 = tf.reverse(v9, axis=[2])
        v12 = tf.reverse(v11, axis=[2])
        v10 = tf.reduce_max(v12)
        c13 = tf.constant(0.0, dtype=tf.float64, shape=())
        v15 = x13 > c13
        v16 = tf.cast(v15, tf.float64)
        v18 = x13 < c13
        v21 = tf.cast(v18, tf.float64)
        v23 = tf.subtract(v16, v21)
        v24 = tf.abs(x13)
        v25 = tf.math.multiply(v23, v24)
        v26 = tf.concat([v25, x15], 1)
        v17 = tf.math.reduce_mean(v26, axis=[1], keepdims=True)
        v28 = tf.truncatediv(v9, self.w_c24)
        v29 = v28[0:1]
        v30 = tf.slice(v28, [1, 0, 0], [2, 2, 2])
        v19 = tf.concat([v29, v30], 0)
        v32 = tf.constant(1, dtype=tf.int32, shape=(1, 1))
        v33 = tf.experimental.numpy.tril(v32, k=0)
        v34 = tf.expand_dims(x0, 1) * x11
        v35 = tf.transpose(v34, perm=[0, 1])
        v36 = v35[:, 0:8]
        v37 = v36[:, 0:1]
        v38 = tf.matmul(tf.linalg.matrix_transpose(v33), v37, transpose_a=True)
        v39 = v36[:, 1:8]
        v40 = tf.matmul(v33, v39)
        v41 = tf.concat([v38, v40], 1)
        v42 = v35[:, 8:16]
        v43 = v42[:, 0:1]
        v44 = tf.linalg.matmul(v33, v43)
        v45 = v42[:, 1:8]
        v46 = tf.matmul(tf.linalg.matrix_transpose(v33), v45, transpose_a=True)
        v47 = tf.concat([v44, v46], axis=1)
        v48 = tf.concat([v41, v47], 1)
        v20 = v48[0:1]
        v50 = tf.reshape(v23, [4, 1, 2])
        v51 = tf.reshape(v24, [4, 1, 2])
        v22 = tf.math.multiply(v50, v51)
        return (v3, v10, v17, v19, v20, v22,)
