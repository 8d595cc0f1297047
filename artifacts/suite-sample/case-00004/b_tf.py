import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c26 = arrays["w_af5570f5a1810b7a_scalar_float64"]
        self.w_v20 = tf.identity(arrays["w_121ae2159ec62bf9_32_int64"])

    def __call__(self, x0, x1):
        c2 = tf.constant(4, dtype=tf.int64, shape=())
        v4 = tf.math.mod(x0, c2)
        v6 = tf.multiply(v4, c2)
        v7 = tf.constant(0, dtype=tf.int64, shape=(32, 32))
        v8 = ~v7
        v11 = v8 + v4
        v12 = tf.concat([v11, v11], axis=-2)
        v13, v14 = tf.split(v12, [32, 32], axis=-2)
        v15 = ~v13
        v16 = tf.add(v15, v8)
        v18 = ~v16
        v19 = tf.slice(v18, [0, 0], [17, 32])
        v21 = tf.reshape(self.w_v20, [1, 32])
        v22 = tf.tile(v21, [32, 1])
        v23 = v22[0:17]
        v24 = tf.multiply(v19, v23)
        v5 = tf.concat([v24, v6[17:]], axis=0)
        v26, v27 = tf.split(x1, [4, 3], axis=-1)
        v29 = tf.math.add(v27, self.w_c26)
        v30 = tf.stack([v29, v29], axis=-5)
        v31 = tf.reshape(v30, [14, 5, 7, 3])
        v9, v33 = tf.split(v31, [7, 7], axis=-4)
        v34 = tf.math.is_inf(v27)
        v35 = tf.transpose(v34, [2, 0, 1, 3])
        v10 = tf.transpose(v35, [1, 2, 0, 3])
        v37 = v26[4:6:3, 4:5:2]
        v38 = tf.transpose(v37, perm=[0, 1, 3, 2])
        v39 = v37 @ v38
        v40 = tf.transpose(v39, [1, 3, 2, 0])
        v41 = tf.experimental.numpy.moveaxis(v40, [-1, -4, -2, -3], [-4, -3, -2, -1])
        c41 = tf.constant(1.0, dtype=tf.float64, shape=())
        v44 = tf.constant(2.0, dtype=tf.float64, shape=(1, 1, 7, 7))
        v45 = c41 * v44
        v46 = tf.divide(v41, v45)
        v47 = tf.transpose(v46, [0, 2, 3, 1])
        v48 = tf.transpose(v47, [0, 2, 3, 1])
        v49 = tf.transpose(v48, perm=[0, 2, 3, 1])
        v50 = tf.nn.softmax(v49, axis=-1)
        v51 = tf.transpose(v50, perm=[0, 3, 1, 2])
        v52 = tf.experimental.numpy.moveaxis(v51, [-4, -1, -3, -2], [-4, -3, -2, -1])
        v17 = tf.experimental.numpy.moveaxis(v52, [-4, -1, -3, -2], [-4, -3, -2, -1])
        return (v5, v9, v10, v17,)
