import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c11 = arrays["w_7204951b1d1b4eb0_16x33_int32"]
        self.w_c46 = tf.identity(arrays["w_df3f619804a92fdb_scalar_int32"])
        self.w_c53 = tf.identity(arrays["w_a96982748582ddc4_1x16x1x33_int32"])

    def __call__(self, x0, x1, x6, x9, x11):
        v2 = tf.clip_by_value(x1, -3.0, 0.0)
        v7 = tf.constant(True, dtype=tf.bool, shape=(16, 33))
        v9 = tf.where(tf.range(33) - tf.range(16)[:, None] >= 0, v7, tf.zeros_like(v7))
        v10, v11 = tf.split(v9, [9, 7], axis=0)
        v13 = tf.math.mod(x0, self.w_c11)
        v16, v18 = tf.split(v13, [9, 7], axis=0)
        v19 = tf.constant(0, dtype=tf.int32, shape=(16, 33))
        v20, v21 = tf.split(v19, [9, 7], axis=0)
        v22 = tf.where(v10, v16, v20)
        v23 = tf.where(tf.range(33) - tf.range(16)[:, None] <= -1, v7, tf.zeros_like(v7))
        v24, v25 = tf.split(v23, [9, 7], axis=0)
        v26 = tf.raw_ops.SelectV2(condition=v24, t=v16, e=v20)
        v27 = tf.raw_ops.AddV2(x=v22, y=v26)
        v28 = tf.where(v11, v18, v21)
        v29 = tf.where(v25, v18, v21)
        v30 = tf.math.add(v28, v29)
        v8 = tf.concat([v27, v30], axis=0)
        v32 = tf.tensordot(x9, x9, axes=0) + 0.30000001192092896 * x6
        v33 = tf.concat([v32, v32], 1)
        v34, v35 = tf.split(v33, 2, axis=1)
        v36 = tf.concat([x11, x11], axis=0)
        v37 = tf.tile(v36, [1])
        v38 = v37[16:32]
        local_1 = tf.reshape(v35, [16, 4, 4])
        local_2 = tf.nn.moments(local_1, [2], keepdims=True)
        local_3 = tf.nn.moments(local_1, [2], keepdims=True)
        v12 = tf.reshape(tf.nn.batch_normalization(local_1, local_2[0], local_3[1], tf.reshape(v38, [4, 4]), tf.reshape(x9, [4, 4]), 9.999999747378752e-06), [16, 16])
        v40 = tf.transpose(x0, [0, 1])
        v41 = tf.experimental.numpy.moveaxis(v40, [0], [0])
        v42 = tf.roll(v41, shift=(26,), axis=(1,))
        v43 = tf.roll(v42, shift=(-26,), axis=(1,))
        v14 = tf.experimental.numpy.moveaxis(v43, [0], [1])
        v45 = tf.constant(True, dtype=tf.bool, shape=(1, 16, 33, 1))
        v46 = tf.linalg.band_part(v45, 0, -1)
        v47 = tf.reshape(v40, [1, 16, 33, 1])
        v49 = tf.raw_ops.SelectV2(condition=v46, t=v47, e=self.w_c46)
        v50 = tf.where(tf.range(1) - tf.range(33)[:, None] <= -1, v45, tf.zeros_like(v45))
        v51 = tf.raw_ops.SelectV2(condition=v50, t=v47, e=tf.broadcast_to(self.w_c46, (1, 16, 33, 1)))
        v52 = v49 + v51
        v15 = tf.squeeze(v52, axis=[0, 3])
        v54 = self.w_c53[:, :, ::-1]
        v55 = tf.reverse(v54, axis=[2])
        v17 = v52 @ v55
        return (v2, v8, v12, v14, v15, v17,)
