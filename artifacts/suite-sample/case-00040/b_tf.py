import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c18 = arrays["w_836173c0bb40bccb_3x3x2_float32"]

    def __call__(self, x1, x5, x9):
        v3 = tf.concat([x1, x1], axis=0)
        v5 = tf.concat([v3, v3], axis=0)
        v6 = tf.concat([v5, v5], 0)
        v7, v8 = tf.split(v6, [28, 28], axis=0)
        v9, v10 = tf.split(v8, [14, 14], axis=0)
        v12, v13 = tf.split(v10, [7, 7], axis=0)
        v14 = tf.reduce_max(v13, axis=[1], keepdims=False)
        v15 = tf.reshape(v14, [7, 1])
        v17 = tf.reshape(v15, [1, 7, 1, 1])
        v18 = tf.broadcast_to(v17, [1, 7, 7, 1])
        v19 = tf.reshape(v18, [7, 7])
        v4 = tf.subtract(v13, v19)
        v21 = tf.transpose(tf.nn.conv1d(tf.transpose(x5, [0, 2, 1]), tf.transpose(self.w_c18, [2, 1, 0]), [1, 1, 1], "VALID"), [0, 2, 1])
        v22 = tf.slice(v21, [0, 0, 0], [1, 3, 1])
        v23 = tf.squeeze(tf.math.reduce_max(v22, axis=[2], keepdims=True), axis=[2])
        v24 = tf.concat([tf.expand_dims(v23, 2), v21[:, :, 1:]], axis=2)
        v26 = tf.concat([x9, x9], 0)
        v27 = tf.concat([v26, v26], axis=0)
        v28 = tf.concat([v27, v27], 0)
        v29, v30 = tf.split(v28, [12, 12], axis=0)
        v31, v32 = tf.split(v30, [6, 6], axis=0)
        v33, v34 = tf.split(v32, [3, 3], axis=0)
        v25 = tf.constant(3.0, dtype=tf.float32, shape=(3,))
        v35 = tf.constant(4.0, dtype=tf.float32, shape=(3,))
        v11 = tf.transpose(tf.nn.batch_normalization(tf.transpose(v24, [0, 2, 1]), v34, v35, v34, v25, 9.999999747378752e-06), [0, 2, 1])
        v37 = v24[:, 2:3]
        v38 = tf.math.reduce_mean(v37, axis=[2], keepdims=True)
        v40 = tf.math.subtract(v37, v38)
        v41 = tf.negative(v40)
        v42 = tf.negative(v41)
        v43 = -v42
        v44 = v43 * v40
        v45 = -v44
        v16 = tf.math.reduce_mean(v45, axis=[2], keepdims=True)
        return (v4, v11, v16, v40,)
