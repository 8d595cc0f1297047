import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x2, x9, x10, x12):
        v5 = tf.broadcast_to(x2, [15, 17, 17])
        v6 = tf.cos(x0)
        v9 = tf.transpose(v6, [2, 0, 1])
        v10 = tf.transpose(v9, perm=[2, 0, 1])
        v11 = tf.sin(v6)
        v12 = tf.transpose(v11, perm=[2, 0, 1])
        v15 = tf.transpose(v12, perm=[2, 0, 1])
        v16 = v15 * v15
        v17 = tf.transpose(v16, perm=[1, 2, 0])
        v18 = tf.transpose(v17, perm=[1, 2, 0])
        v19 = tf.cos(v6)
        v20 = tf.transpose(v19, perm=[2, 0, 1])
        v21 = tf.transpose(v20, [2, 0, 1])
        v22 = v21 * v21
        v23 = tf.transpose(v22, [1, 2, 0])
        v24 = tf.transpose(v23, perm=[1, 2, 0])
        v25 = tf.add_n([v18, v24])
        v26 = tf.transpose(v25, [2, 0, 1])
        v27 = tf.transpose(v26, [2, 0, 1])
        v28 = v10 * v27
        v29 = tf.transpose(v28, [1, 2, 0])
        v30 = tf.transpose(v29, [1, 2, 0])
        v31 = tf.transpose(v30, [2, 0, 1])
        v32 = tf.transpose(v31, perm=[2, 0, 1])
        v33 = tf.transpose(v32, perm=[2, 0, 1])
        v34 = tf.transpose(v5, [2, 0, 1])
        v35 = tf.transpose(v34, perm=[2, 0, 1])
        v36 = tf.transpose(v35, [2, 0, 1])
        v37 = tf.math.multiply(v33, v36)
        v38 = tf.transpose(v37, perm=[1, 2, 0])
        v39 = tf.transpose(v38, [1, 2, 0])
        v40 = tf.transpose(v39, perm=[1, 2, 0])
        v41 = x2 / v40
        v42 = tf.math.floor(v41)
        v7 = tf.negative(v42)
        v8 = tf.math.softmax(v41, axis=-2)
        v45 = tf.cast(x10, tf.float64)
        v46 = tf.cast(v45, tf.uint8)
        v47 = tf.add(x9, v46)
        v13 = tf.greater(v47, x12)
        v14 = tf.math.atan(v41)
        return (v7, v8, v13, v14,)
