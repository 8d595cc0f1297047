import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x5):
        v4 = tf.constant(1.0, dtype=tf.float32, shape=(3, 16, 1, 2))
        v5 = tf.transpose(tf.nn.conv2d(tf.transpose(tf.pad(x5, [[0, 0], [0, 0], [0, 0], [1, 1]]), [0, 2, 3, 1]), tf.transpose(v4, [2, 3, 1, 0]), [1, 2, 1, 1], "VALID"), [0, 3, 1, 2])
        v6 = v5[:, 1:3:2]
        v7 = tf.repeat(v6, 2, axis=0)
        v8 = v7[0:14:2]
        v15 = v8[::-1, ::-1, ::-1]
        v16 = v15[::-1, ::-1, ::-1]
        v17 = v16[::-1, ::-1, ::-1]
        v10 = tf.math.reduce_mean(v17, axis=[0, 1, 2], keepdims=True)
        v19 = tf.reduce_max(x0, axis=[0, 1], keepdims=True)
        v20 = tf.math.subtract(v19, v19)
        v21 = tf.repeat(v20, 2, axis=0)
        v22 = v21[0:2:2]
        v23 = tf.negative(v22)
        v12 = tf.argmin(v23, axis=0, output_type=tf.int64)
        v25 = tf.cast(x5, 'float64')
        v26 = tf.cast(v25, tf.float32)
        v13 = tf.expand_dims(tf.argmin(v26, axis=3, output_type=tf.int64), 3)
        v9 = tf.reshape(tf.transpose(tf.reshape(v8, (7, 1, 1, 3, 2, 3)), (0, 3, 5, 1, 2, 4)), (7, 9, 1, 2))
        v29, v30 = tf.split(v9, [2, 5], axis=0)
        v31, v32 = tf.split(v29, [1, 1], axis=0)
        v33 = tf.math.log_softmax(v31, axis=3)
        v34 = tf.math.log_softmax(v32, axis=3)
        v35 = tf.concat([v33, v34], axis=0)
        v36, v37 = tf.split(v30, [3, 2], axis=0)
        v38, v39 = tf.split(v36, [2, 1], axis=0)
        v40 = tf.nn.log_softmax(v38, axis=3)
        v41 = tf.math.log_softmax(v39, axis=3)
        v42 = tf.concat([v40, v41], 0)
        v43, v44 = tf.split(v37, [1, 1], axis=0)
        v45 = tf.math.log_softmax(v43, axis=3)
        v46 = tf.nn.log_softmax(v44, axis=3)
        v47 = tf.concat([v45, v46], axis=0)
        v48 = tf.concat([v42, v47], axis=0)
        v14 = tf.concat([v35, v48], 0)
        v50 = tf.pad(v19, [[0, 0], [1, 2]], constant_values=0.0)
        v3 = v50[:, 1:2]
        return (v10, v12, v13, v14, v3, v8, v9,)
