import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c23 = arrays["w_6b6a9b800ddcc18f_1x7_int64"]
        self.w_c37 = arrays["w_df3f619804a92fdb_scalar_int32"]
        self.w_c50 = tf.Variable(arrays["w_9d9f290527a6be62_scalar_uint32"], trainable=False)
        self.w_c56 = arrays["w_ff64c2e11d519d48_32x32_uint32"]
        self.w_c60 = tf.Variable(arrays["w_f0efd1b2f5f3fe7e_32x32_uint32"], trainable=False)

    def __call__(self, x1, x2, x8, x10, x12, x15):
        c6 = tf.constant(True, dtype=tf.bool, shape=())
        v7 = tf.constant(True, dtype=tf.bool, shape=(7, 3, 7))
        v8 = tf.math.logical_and(tf.broadcast_to(c6, (7, 3, 7)), v7)
        c9 = tf.constant(0, dtype=tf.int32, shape=())
        v12 = tf.where(v8, x1, c9)
        v13 = x2[0:6]
        v15 = v13[0:6]
        v17 = v15[0:6]
        v18 = tf.slice(x2, [6, 0], [1, 7])
        v20 = tf.concat([v17, v18], axis=-2)
        v3 = tf.tensordot(v12, v20, axes=[[2], [1]])
        v23 = tf.size(x8, out_type=tf.int64)
        v24 = -v23
        v9 = -v24
        v27 = tf.experimental.numpy.take_along_axis(v20, tf.math.floormod(self.w_c23, 7), axis=0)
        v29 = tf.truncatediv(v27, 3)
        v30 = tf.stack([v29, v29], axis=-3)
        v31 = tf.reshape(v30, [2, 7])
        v32 = tf.concat([v31, v31], axis=-2)
        v33 = tf.broadcast_to(x10, [1, 7])
        v34 = tf.concat([v33, v33], -2)
        v35 = tf.concat([v34, v34], -2)
        v36 = tf.raw_ops.AddV2(x=v32, y=v35)
        v37 = v36[2:4]
        v38 = tf.slice(v37, [1, 0], [1, 7])
        c21 = tf.constant(True, dtype=tf.bool, shape=())
        v11 = tf.where(c21, v38, self.w_c37)
        v41 = tf.less(x15, x15)
        v42 = tf.equal(x15, x15)
        v43 = tf.math.logical_or(v41, v42)
        v44 = tf.math.logical_and(v43, v43)
        v45 = v43 | v43
        v46 = tf.logical_and(v43, v45)
        v47 = tf.math.logical_or(v44, v46)
        v48 = tf.where(v47, x15, x15)
        v49 = tf.slice(v48, [3], [1])
        v16 = tf.identity(v49)
        v52 = tf.slice(x12, [0, 0], [27, 32])
        v53 = tf.slice(v52, [0, 0], [27, 32])
        v54 = x12[27:32]
        v55 = tf.concat([v53, v54], -2)
        v14 = tf.math.mod(v55, self.w_c56)
        v58 = tf.math.subtract(self.w_c50, v14)
        v19 = tf.transpose(v58, perm=[0, 1])
        v21 = tf.truncatediv(v58, self.w_c60)
        return (v3, v9, v11, v16, v19, v21, v14,)
