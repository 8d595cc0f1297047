import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c7 = arrays["w_dbc1b4c900ffe48d_scalar_uint8"]
        self.w_c13 = tf.identity(arrays["w_af5570f5a1810b7a_scalar_float64"])
        self.w_c24 = tf.Variable(arrays["w_8ce9e5e1f1024c4b_3x2x2_uint8"], trainable=False)

    def __call__(self, x0, x1, x5, x11, x13, x15):
        v3 = tf.multiply(x1, x1)
        v9 = tf.math.multiply(x5, self.w_c7)
        v11 = tf.reverse(v9, axis=[-1])
        v12 = v11[:, :, ::-1]
        v10 = tf.reduce_max(v12)
        v15 = x13 > self.w_c13
        v16 = tf.cast(v15, 'float64')
        v18 = tf.math.less(x13, self.w_c13)
        v21 = tf.cast(v18, tf.float64)
        v23 = v16 - v21
        v24 = abs(x13)
        v25 = v23 * v24
        v26 = tf.concat([v25, x15], -1)
        v17 = tf.reduce_mean(v26, axis=[1], keepdims=True)
        v28 = tf.truncatediv(v9, self.w_c24)
        v29 = v28[0:1]
        v30 = v28[1:3]
        v19 = tf.concat([v29, v30], -3)
        v32 = tf.constant(1, dtype=tf.int32, shape=(1, 1))
        v33 = tf.where(tf.range(1) - tf.range(1)[:, None] <= 0, v32, tf.zeros_like(v32))
        v34 = tf.expand_dims(x0, 1) * x11
        v35 = tf.transpose(v34, [0, 1])
        v36 = v35[:, 0:8]
        v37 = tf.slice(v36, [0, 0], [1, 1])
        v38 = tf.matmul(v33, v37)
        v39 = tf.slice(v36, [0, 1], [1, 7])
        v40 = v33 @ v39
        v41 = tf.concat([v38, v40], axis=-1)
        v42 = tf.slice(v35, [0, 8], [1, 8])
        v43 = tf.slice(v42, [0, 0], [1, 1])
        v44 = tf.tensordot(v33, v43, axes=1)
        v45 = v42[:, 1:8]
        v46 = tf.matmul(v33, tf.linalg.matrix_transpose(v45), transpose_b=True)
        v47 = tf.concat([v44, v46], -1)
        v48 = tf.concat([v41, v47], axis=-1)
        v20 = v48[0:1]
        v50 = tf.reshape(v23, [4, 1, 2])
        v51 = tf.reshape(v24, [4, 1, 2])
        v22 = tf.math.multiply(v50, v51)
        return (v3, v10, v17, v19, v20, v22,)
