import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c15 = tf.Variable(arrays["w_bed744e3f886ce5f_16x16_float32"], trainable=False)

    def __call__(self, x0, x4, x10):
        v3 = tf.math.cos(x0)
        v4, v5 = tf.split(v3, [3, 12], axis=-1)
        v6, v9 = tf.split(v5, [9, 3], axis=-1)
        v10 = tf.concat([v4, v6], -1)
        v12, v14 = tf.split(v10, [3, 9], axis=-1)
        v15 = tf.concat([v14, v9], axis=-1)
        v16 = tf.concat([v4, v15], -1)
        v17 = tf.exp(v16)
        v18 = tf.tensordot(v17, v16, [[1], [1]])
        v7 = tf.concat([v18, self.w_c15], -2)
        v20 = tf.broadcast_to(v16, [2, 16, 15])
        v21 = tf.where(v16 <= v20, v16, v20)
        v22 = v21[1:2]
        v8 = tf.squeeze(v22, axis=[-3])
        v24 = tf.constant(True, dtype=tf.bool, shape=(16, 16))
        v25 = tf.linalg.band_part(v24, 0, -1)
        c24 = tf.constant(0.0, dtype=tf.float32, shape=())
        v27 = tf.raw_ops.SelectV2(condition=v25, t=x10, e=c24)
        v28 = tf.where(tf.range(16) - tf.range(16)[:, None] <= -1, v24, tf.zeros_like(v24))
        v29 = tf.raw_ops.SelectV2(condition=v28, t=x10, e=c24)
        v30 = tf.math.add(v27, v29)
        v11 = v18 + v30
        v33 = tf.raw_ops.AddV2(x=x4, y=v17)
        v34 = tf.math.subtract(v33, x4)
        v35 = tf.expand_dims(x0, 0)
        v36 = tf.math.reduce_sum(v35, axis=[0], keepdims=False)
        v37 = tf.math.multiply(v34, v36)
        v13 = tf.cast(v37, 'int32')
        return (v7, v8, v11, v13,)
