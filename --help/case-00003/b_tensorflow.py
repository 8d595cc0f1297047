import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c10 = tf.identity(arrays["w_4bf5122f344554c5_scalar_bool"])
        self.w_c43 = tf.Variable(arrays["w_7c9fa136d4413fa6_scalar_int64"], trainable=False)

    def __call__(self, x0, x1, x3, x8, x9, x15, x17, x20, c12):
        v2 = tf.reshape(x1, [])
        v14 = tf.squeeze(tf.reduce_sum(tf.abs(x0), axis=[0, 1], keepdims=True), axis=[0, 1])
        v15 = tf.where(self.w_c10, x8, c12)
        v16 = -v15
        v17 = tf.slice(x15, [0, 0], [3, 4])
        v20 = tf.slice(x15, [3, 0], [1, 4])
        v22 = tf.concat([v17, v20], axis=-2)
        v23 = v16 @ v22
        v24 = tf.negative(v23)
        v13 = tf.constant(0.0, dtype=tf.float32, shape=(2, 2, 4))
        v25 = -v13
        v26 = tf.negative(v25)
        v27 = tf.less(v24, v26)
        v28 = tf.transpose(tf.linalg.diag(x17, k=0), [0, 1])
        v29 = tf.linalg.diag_part(tf.transpose(v28, [0, 1]), k=0)
        v31 = v15 @ v22
        v32 = tf.math.multiply(v29, v31)
        v18 = tf.raw_ops.SelectV2(condition=v27, t=v32, e=v31)
        v34 = x9[None, :]
        v35 = tf.tile(v34, [2, 1])
        v36 = v35[1:2]
        v37 = tf.reshape(v36, [2])
        v38 = tf.constant(3.0, dtype=tf.float32, shape=(2,))
        local_1 = v15
        local_2 = tf.nn.moments(local_1, [2], keepdims=True)
        local_3 = tf.nn.moments(local_1, [2], keepdims=True)
        v11 = tf.nn.batch_normalization(local_1, local_2[0], local_3[1], tf.reshape(v38, [-1, 1]), tf.reshape(v37, [-1, 1]), 9.999999747378752e-06)
        v40 = v11[:, :, 3::-3]
        v41 = v40[:, :, 0:2]
        v19 = v41 + v41
        v43 = tf.slice(x3, [0, 0, 0, 0], [2, 2, 3, 2])
        v44 = tf.slice(x3, [0, 0, 3, 0], [2, 2, 1, 2])
        v45 = tf.concat([v43, v44], axis=-2)
        v46 = tf.gather(v45, tf.math.floormod(self.w_c43, 2), axis=1)
        v47 = x20[:, 0:2:2]
        v48 = x20[:, 1:2:2]
        v49 = tf.stack([v47, v48], axis=-1)
        v50 = tf.reshape(v49, [2, 2])
        v21 = tf.tensordot(v46, v50, axes=1)
        return (v2, v14, v18, v19, v21, v11,)
