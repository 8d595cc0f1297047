import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c10 = tf.identity(arrays["w_df3f619804a92fdb_scalar_float32"])
        self.w_c16 = arrays["w_e00e5eb9444182f3_scalar_float32"]
        self.w_v12 = arrays["w_f5a5fd42d16a2030_2x2x4_float32"]

    def __call__(self, x0, x1, x3, x8, x9, x15, x17, x20):
        v2 = tf.reshape(x1, [])
        v14 = tf.squeeze(tf.reduce_sum(tf.abs(x0), axis=[0, 1], keepdims=True), axis=[0, 1])
        v13 = tf.subtract(tf.broadcast_to(self.w_c10, (2, 2, 4)), self.w_v12)
        v15 = tf.reshape(x15, [1, 4, 4])
        v16 = tf.squeeze(v15, axis=[-3])
        v17 = tf.matmul(tf.linalg.matrix_transpose(x8), v16, transpose_a=True)
        v22 = v17 / self.w_c16
        v23 = tf.math.subtract(v13, v22)
        v24 = tf.negative(v23)
        v25 = tf.math.less(v24, v13)
        v26 = tf.transpose(tf.linalg.diag(x17, k=0), [0, 1])
        v27 = tf.linalg.diag_part(tf.transpose(v26, [0, 1]), k=0)
        v29 = tf.math.multiply(v27, v22)
        v18 = tf.raw_ops.SelectV2(condition=v25, t=v29, e=v22)
        v31 = tf.constant(3.0, dtype=tf.float32, shape=(2,))
        local_1 = x8
        local_2 = tf.nn.moments(local_1, [2], keepdims=True)
        local_3 = tf.nn.moments(local_1, [2], keepdims=True)
        v32 = tf.nn.batch_normalization(local_1, local_2[0], local_3[1], tf.reshape(v31, [-1, 1]), tf.reshape(x9, [-1, 1]), 9.999999747378752e-06)
        v33 = v32[:, :, 3::-3]
        v34 = v33[:, :, 0:2]
        v35 = tf.raw_ops.AddV2(x=v34, y=v34)
        v36 = v35[0:2:2]
        v37 = v35[1:2:2]
        v38 = tf.stack([v36, v37], axis=-3)
        v19 = tf.reshape(v38, [2, 2, 2])
        v40 = tf.expand_dims(x3, 0)
        v41 = tf.reshape(v40, [2, 2, 4, 2])
        c39 = tf.constant(1, dtype=tf.int64, shape=())
        v42 = tf.gather(v41, tf.math.floormod(c39, 2), axis=1)
        v44 = tf.constant(True, dtype=tf.bool, shape=(2, 2))
        v45 = tf.reshape(v44, [1, 2, 2])
        v46 = tf.tile(v45, [2, 1, 1])
        v49 = tf.constant(0, dtype=tf.int64, shape=(2, 2))
        v50 = tf.expand_dims(v49, 0)
        v51 = tf.tile(v50, [2, 1, 1])
        v52 = tf.where(v46, x20, v51)
        c41 = tf.constant(True, dtype=tf.bool, shape=())
        c53 = tf.constant(0, dtype=tf.int64, shape=())
        v55 = tf.where(c41, v52, c53)
        v56 = tf.slice(v55, [1, 0, 0], [1, 2, 2])
        v57 = tf.squeeze(v56, axis=[-3])
        v21 = tf.tensordot(v42, v57, axes=1)
        v59 = tf.expand_dims(x9, 0)
        v60 = tf.tile(v59, [2, 1])
        v61 = tf.slice(v60, [1, 0], [1, 2])
        v62 = tf.squeeze(v61, axis=[-2])
        local_4 = x8
        local_5 = tf.nn.moments(local_4, [2], keepdims=True)
        local_6 = tf.nn.moments(local_4, [2], keepdims=True)
        v11 = tf.nn.batch_normalization(local_4, local_5[0], local_6[1], tf.reshape(v31, [-1, 1]), tf.reshape(v62, [-1, 1]), 9.999999747378752e-06)
        return (v2, v14, v18, v19, v21, v11,)
