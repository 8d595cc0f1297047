import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c41 = tf.Variable(arrays["w_6c3c396ed6b5c36d_scalar_float64"], trainable=False)
        self.w_v44 = tf.identity(arrays["w_7fde232f68f98881_1x1x7x7_float64"])

    def __call__(self, x0, x1):
        c2 = tf.constant(4, dtype=tf.int64, shape=())
        v4 = tf.math.floormod(x0, c2)
        v6 = v4 * c2
        v7 = tf.constant(0, dtype=tf.int64, shape=(32, 32))
        v8 = ~v7
        v11 = v8 + v4
        v12 = tf.concat([v11, v11], axis=-2)
        v13, v14 = tf.split(v12, [32, 32], axis=-2)
        v15 = tf.bitwise.invert(v13)
        v16 = tf.raw_ops.AddV2(x=v15, y=v8)
        v18 = ~v16
        v19 = tf.slice(v18, [0, 0], [17, 32])
        v20 = tf.constant(4, dtype=tf.int64, shape=(32,))
        v21 = tf.reshape(v20, [1, 32])
        v22 = tf.tile(v21, [32, 1])
        v23 = tf.slice(v22, [0, 0], [17, 32])
        v24 = tf.math.multiply(v19, v23)
        v5 = tf.concat([v24, v6[17:]], axis=0)
        v26, v27 = tf.split(x1, [4, 3], axis=-1)
        v29 = v27 + 0.0
        v30 = tf.stack([v29, v29], axis=-5)
        v31 = tf.reshape(v30, [14, 5, 7, 3])
        v9, v33 = tf.split(v31, 2, axis=-4)
        v34 = tf.math.is_inf(v27)
        v35 = tf.experimental.numpy.moveaxis(v34, [-2], [-4])
        v10 = tf.experimental.numpy.moveaxis(v35, [-4], [-2])
        v37 = v26[4:6:3, 4:5:2]
        v38 = tf.linalg.matrix_transpose(v37)
        v39 = tf.matmul(v37, v38)
        v40 = tf.transpose(v39, [1, 3, 2, 0])
        v41 = tf.experimental.numpy.moveaxis(v40, [-1, -4, -2, -3], [-4, -3, -2, -1])
        v45 = tf.math.multiply(self.w_c41, self.w_v44)
        v46 = v41 / v45
        v47 = tf.transpose(v46, [0, 2, 3, 1])
        v48 = tf.transpose(v47, [0, 2, 3, 1])
        v49 = tf.transpose(v48, perm=[0, 2, 3, 1])
        v50 = tf.math.softmax(v49, axis=-1)
        v51 = tf.transpose(v50, perm=[0, 3, 1, 2])
        v52 = tf.experimental.numpy.moveaxis(v51, [-4, -1, -3, -2], [-4, -3, -2, -1])
        v17 = tf.transpose(v52, [0, 3, 1, 2])
        return (v5, v9, v10, v17,)
