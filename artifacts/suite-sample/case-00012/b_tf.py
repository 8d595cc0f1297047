import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v44 = arrays["w_df3f619804a92fdb_1x1_float32"]

    def __call__(self, x0, x1, x6, x7, x9, x10):
        v6 = tf.raw_ops.Max(input=x0, axis=[0, 2, 3], keep_dims=False)
        v7 = tf.raw_ops.Max(input=v6, axis=[0], keep_dims=False)
        v8 = tf.reshape(v6, [])
        v9 = tf.math.maximum(tf.math.maximum(tf.math.maximum(v7, v8), x6), x7)
        v10 = tf.add(v9, v7)
        v13 = tf.bitwise.invert(v10)
        v15 = tf.add(v9, v13)
        v16 = tf.bitwise.invert(v15)
        v18 = tf.broadcast_to(v6, [2, 1])
        v19 = v18[1:2]
        v20 = tf.reshape(v19, [1])
        v21 = tf.squeeze(v20, axis=[-1])
        v22 = tf.cast(x7, 'int16')
        v23 = tf.broadcast_to(v22, [2])
        v24 = tf.cast(v23, 'uint8')
        v25 = v24[1:2]
        v26 = tf.reshape(v25, [])
        v27 = tf.math.maximum(tf.math.maximum(tf.math.maximum(v16, v21), x6), v26)
        v11 = tf.minimum(tf.minimum(v27, v16), x10)
        v29 = tf.bitwise.invert(v20)
        v30 = tf.concat([v20, v29], axis=-1)
        v31 = tf.concat([v29, v20], axis=-1)
        v32 = tf.add(v30, v31)
        v33, v34 = tf.split(v32, [1, 1], axis=-1)
        v12 = ~v33
        v36 = tf.transpose(x1, perm=[2, 3, 0, 1])
        v37 = ~v36
        v38 = tf.broadcast_to(v37, [1, 1, 17, 17])
        v39 = tf.concat([v38, v38], axis=-3)
        v40 = ~v39
        v41, v42 = tf.split(v40, [1, 1], axis=-3)
        v14 = tf.transpose(v41, [1, 3, 2, 0])
        v45 = tf.concat([tf.pad(x9, [[0, 0], [0, 1]]), tf.pad(self.w_v44, [[0, 0], [1, 0]])], axis=0)
        v17 = tf.math.asinh(v45)
        return (v11, v12, v14, v17,)
