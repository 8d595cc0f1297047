import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c29 = tf.Variable(arrays["w_af5570f5a1810b7a_scalar_int64"], trainable=False)

    def __call__(self, x0, x2):
        v2 = tf.identity(x0)
        v3 = tf.nn.elu(v2)
        v5 = tf.nn.selu(x0)
        v7 = tf.concat([v5, v5], axis=-3)
        v8 = tf.concat([v7, v7], axis=-1)
        v9 = tf.concat([v8, v8], axis=-1)
        v12, v13 = tf.split(v9, 2, axis=-1)
        v14, v16 = tf.split(v13, [5, 5], axis=-1)
        v17 = tf.slice(v16, [1, 0, 0], [1, 1, 5])
        local_1 = tf.reshape(v17[:, :, 0:5], [1, 1, 5])
        v6, v19 = tf.reshape(tf.stack([tf.reduce_max(local_1, axis=-1)], axis=-1), [1, 1, 1]), tf.reshape(tf.stack([tf.gather(tf.constant([0, 1, 2, 3, 4], dtype=tf.int64), tf.argmax(local_1, axis=-1))], axis=-1), [1, 1, 1])
        local_2 = tf.reshape(v5[:, :, 0:5], [1, 1, 5])
        v20, v21 = tf.reshape(tf.stack([tf.reduce_max(local_2, axis=-1)], axis=-1), [1, 1, 1]), tf.reshape(tf.stack([tf.gather(tf.constant([0, 1, 2, 3, 4], dtype=tf.int64), tf.argmax(local_2, axis=-1))], axis=-1), [1, 1, 1])
        v22 = v21[0:1]
        v23 = tf.concat([v22, v22], axis=-3)
        v24 = tf.concat([v23, v23], axis=-1)
        v25 = tf.concat([v24, v24], -1)
        v26, v27 = tf.split(v25, [2, 2], axis=-1)
        v28 = tf.slice(v27, [0, 0, 1], [2, 1, 1])
        v29, v30 = tf.split(v28, [1, 1], axis=-3)
        v10 = v30[0:1:2]
        v32 = tf.reshape(tf.transpose(tf.reshape(x2, (16, 2, 2, 1, 4, 16)), (0, 3, 4, 1, 5, 2)), (16, 1, 8, 32))
        v11 = tf.reduce_any(tf.not_equal(v32, 0), axis=[1, 3], keepdims=True)
        v34 = tf.gather(v17, tf.math.floormod(self.w_c29, 1), axis=1)
        v35 = tf.maximum(v34, 1.0)
        v15 = tf.minimum(v35, 1.0)
        return (v3, v6, v10, v11, v15,)
