import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = arrays["w_63e92c7f1481c4c3_3x1x2_float16"]
        self.w_c12 = tf.Variable(arrays["w_4bf5122f344554c5_scalar_bool"], trainable=False)

    def __call__(self, x0, c39):
        v1 = tf.reshape(x0, [5, 1, 32, 5])
        v2 = tf.slice(v1, [0, 0, 0, 0], [5, 1, 32, 2])
        v3 = tf.raw_ops.Sum(input=v2, axis=[1], keep_dims=False)
        v5 = v1[:, :, :, 2:5]
        v6 = tf.slice(v5, [0, 0, 0, 0], [5, 1, 32, 3])
        v7 = tf.reduce_sum(v6, axis=[1], keepdims=False)
        v8 = tf.concat([v3, v7], -1)
        v9 = tf.reshape(tf.transpose(tf.reshape(tf.reshape(v8, (-1, 1)) * tf.reshape(self.w_c8, (1, -1)), (5, 32, 5, 3, 1, 2)), [0, 3, 1, 4, 2, 5]), (15, 32, 10))
        v4, v12 = (tf.sort(v9, axis=-2, direction="ASCENDING")[:, 4:5], tf.cast(tf.argsort(v9, axis=-2, direction="ASCENDING", stable=True)[:, 4:5], tf.int64))
        v16 = tf.constant(True, dtype=tf.bool, shape=(15, 1, 10))
        v17 = tf.where(tf.range(10) - tf.range(1)[:, None] >= 0, v16, tf.zeros_like(v16))
        v18 = v17 & self.w_c12
        v19 = tf.logical_not(v17)
        c17 = tf.constant(False, dtype=tf.bool, shape=())
        v21 = v19 & c17
        v22 = v18 | v21
        v23 = tf.reshape(tf.transpose(tf.reshape(tf.reshape(x0, (-1, 1)) * tf.reshape(self.w_c8, (1, -1)), (5, 32, 5, 3, 1, 2)), [0, 3, 1, 4, 2, 5]), (15, 32, 10))
        v24, v25 = (tf.sort(v23, axis=-2, direction="ASCENDING")[:, 4:5], tf.cast(tf.argsort(v23, axis=-2, direction="ASCENDING", stable=True)[:, 4:5], tf.int64))
        c24 = tf.constant(0, dtype=tf.int64, shape=())
        v27 = tf.where(v22, v25, c24)
        v28 = tf.transpose(v27, perm=[1, 2, 0])
        v29 = tf.transpose(v28, perm=[1, 2, 0])
        v30 = tf.experimental.numpy.tril(v25, k=-1)
        v31 = tf.transpose(v30, [1, 2, 0])
        v32 = tf.transpose(v31, [1, 2, 0])
        v33 = tf.add(v29, v32)
        v34 = tf.transpose(v33, perm=[2, 0, 1])
        v4_1 = tf.transpose(v34, [2, 0, 1])
        v36 = tf.stack([v9, v9, v9], axis=-3)
        v11 = tf.raw_ops.Relu(features=v36)
        v38 = tf.constant(3, dtype=tf.int64, shape=(15, 1, 1))
        v40 = tf.matmul(tf.linalg.matrix_transpose(v38), c39, transpose_a=True)
        v41 = tf.transpose(v40, [0, 2, 1])
        v42 = tf.transpose(v41, perm=[1, 2, 0])
        v43 = tf.transpose(v42, [1, 2, 0])
        v44 = tf.transpose(v43, perm=[1, 2, 0])
        v45 = tf.add(v44, v44)
        v46 = tf.transpose(v45, [2, 0, 1])
        v47 = tf.transpose(v46, [2, 0, 1])
        v13 = tf.transpose(v47, perm=[2, 0, 1])
        v14 = tf.math.cos(v36)
        v50 = tf.broadcast_to(v9, [2, 15, 32, 10])
        v51 = tf.nn.gelu(v50)
        v52 = tf.reduce_max(v51, axis=[0], keepdims=False)
        v15 = tf.math.sign(v52)
        return (v4, v4_1, v11, v13, v14, v15,)
