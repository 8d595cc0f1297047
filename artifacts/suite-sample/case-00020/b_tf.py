import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c26 = arrays["w_df3f619804a92fdb_scalar_int32"]
        self.w_c39 = tf.Variable(arrays["w_af5570f5a1810b7a_scalar_int64"], trainable=False)

    def __call__(self, x1, x2, x5, x10):
        v5 = tf.broadcast_to(x2, [2, 1, 2, 32, 32])
        v6 = v5[1:2]
        v10 = tf.squeeze(v6, axis=[0])
        v3 = tf.raw_ops.Max(input=v10, axis=[0, 2, 3], keep_dims=True)
        v13 = tf.broadcast_to(v3, [2, 1, 2, 1, 1])
        v15 = tf.maximum(v13, 0)
        v17 = tf.slice(v15, [1, 0, 0, 0, 0], [1, 1, 2, 1, 1])
        v4 = tf.squeeze(v17, axis=[0])
        v7 = tf.reduce_max(v3, axis=[2], keepdims=True)
        v20 = tf.pad(x5, [[1, 2]], constant_values=0)
        v21 = tf.pad(v20[1:2], [[0, 0]], constant_values=0)
        v23 = tf.constant(True, dtype=tf.bool, shape=(7,))
        v24 = tf.cast(v23, 'int8')
        v25 = v24 * v24
        v26 = tf.cast(v25, tf.bool)
        v27 = tf.cast(v26, 'int8')
        v28 = tf.math.multiply(v24, v27)
        v29 = tf.cast(v28, 'bool')
        v31 = tf.bitwise.bitwise_and(x1, x5)
        v33 = tf.where(v29, v31, self.w_c26)
        v9 = tf.bitwise.bitwise_xor(v21, v33)
        v35, v36 = (tf.sort(x2, axis=2, direction="ASCENDING")[:, :, 15:16], tf.cast(tf.argsort(x2, axis=2, direction="ASCENDING", stable=True)[:, :, 15:16], tf.int64))
        v37 = tf.math.abs(v35)
        v12 = tf.where(v35 < 0, -tf.abs(v37), tf.abs(v37))
        v39, v12_1 = (tf.sort(v10, axis=2, direction="ASCENDING")[:, :, 15:16], tf.cast(tf.argsort(v10, axis=2, direction="ASCENDING", stable=True)[:, :, 15:16], tf.int64))
        v41 = tf.math.multiply(v27, v27)
        v42 = tf.cast(v41, tf.bool)
        v43 = tf.reshape(x10, [7])
        v45 = tf.where(v42, v43, tf.broadcast_to(self.w_c39, (7,)))
        v46 = tf.negative(v45)
        v47 = tf.reduce_sum(v46)
        v14 = tf.negative(v47)
        v16 = self.w_c39 > x10
        return (v4, v7, v4, v9, v12, v12_1, v14, v16, v3,)
