import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x1, x6, x7, x12):
        v4 = tf.reshape(x1, [2, 8, 1, 1, 40])
        v5 = tf.reduce_sum(tf.abs(v4), axis=[1, 2], keepdims=True)
        v7 = x6 + x7
        v8 = tf.repeat(v7, 2, axis=0)
        v10 = tf.concat([v8, v8], axis=1)
        v11 = v10[0:2:2]
        v12 = v11[:, 7:14]
        v9 = tf.cast(v12, 'int64')
        v14 = tf.reduce_max(x1, axis=[2], keepdims=True)
        v15 = tf.reduce_mean(v14, axis=[2], keepdims=True)
        v17 = tf.reshape(v15, [32, 1, 5, 1])
        v18 = tf.pad(v17, [[0, 0], [0, 0], [0, 0], [1, 2]], constant_values=0.0)
        v19 = tf.pad(v18[:, :, :, 1:2], [[0, 0], [0, 0], [0, 0], [0, 0]], constant_values=0.0)
        v20 = tf.reshape(v19, [32, 5, 1])
        v21 = tf.transpose(x12, [0, 1, 3, 2])
        v22 = tf.concat([v21, v21], axis=1)
        v23, v24 = tf.split(v22, 2, axis=1)
        v25 = tf.reshape(v23, [32, 1, 5])
        v26 = tf.einsum("bij,bjk->bik", v20, v25)
        v27 = tf.reshape(v26, [32, 1, 5, 5])
        v16 = tf.divide(v27, 8.0)
        return (v5, v9, v16,)
