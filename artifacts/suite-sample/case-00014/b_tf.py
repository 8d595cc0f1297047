import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x1, x8, x13):
        v4 = tf.nn.selu(x0)
        v6, v7 = tf.split(v4, [8, 9], axis=1)
        v2 = tf.concat([v6, v7], axis=1)
        v9 = tf.expand_dims(tf.argmax(x1, axis=0, output_type=tf.int64), 0)
        v10 = tf.clip_by_value(v9, -1, 1)
        v11 = tf.abs(v9)
        v13 = v10 * v11
        v16 = tf.less_equal(v13, v13)
        v17 = tf.greater_equal(v13, v13)
        v18 = tf.logical_and(v16, v17)
        v5 = ~v18
        v20 = x8[:, :, :, 13:17:2]
        v21 = v20[:, :, :, 1::-1]
        v22, v23 = tf.split(v21, [8, 9], axis=1)
        v12 = tf.concat([v22, v23], axis=1)
        v25 = tf.sign(x1) * tf.floor(tf.abs(x1))
        v26 = tf.minimum(tf.maximum(v25, -1.0), 1.0)
        v27 = tf.maximum(v25, 0)
        v28 = tf.cast(v27, tf.float64)
        v29 = tf.negative(v26)
        v30 = tf.abs(v25)
        v31 = tf.multiply(v29, v30)
        v32 = tf.maximum(v31, 0)
        v33 = tf.cast(v32, 'float64')
        v34 = tf.math.add(v28, v33)
        v35 = tf.cast(v34, 'float32')
        v36 = tf.math.multiply(v26, v35)
        v37 = tf.cast(v36, 'uint8')
        v38 = tf.concat([v37, v37], axis=1)
        v39 = tf.slice(x13, [0, 0], [3, 17])
        v40 = x13[3:17]
        v41 = tf.concat([v39, v40], 0)
        v42 = tf.concat([v41, v41], 1)
        v43 = tf.math.add(v38, v42)
        v14 = v43[:, 17:34]
        v15 = tf.sign(v36) * tf.floor(tf.abs(v36))
        return (v2, v5, v12, v14, v15, v34,)
