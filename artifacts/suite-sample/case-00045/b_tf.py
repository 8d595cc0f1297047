import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c10 = tf.identity(arrays["w_0c730b69905c5ef7_2x1_int64"])

    def __call__(self, x0, x10, x13):
        v3 = tf.tile(x0, [2])
        v4 = tf.slice(v3, [3], [3])
        v5 = tf.negative(v4)
        v6 = tf.reduce_min(v5)
        v7 = tf.broadcast_to(v6, [3])
        v8 = tf.negative(v7)
        v9 = v4 - v8
        v12 = tf.tile(x10, [2])
        v13 = tf.slice(v12, [2], [2])
        v11 = tf.tensor_scatter_nd_min(v9, tf.math.floormod(self.w_c10, [3]), v13)
        v15 = tf.negative(v6)
        v17 = v15 - v15
        v21 = tf.subtract(v9, v8)
        v16 = v17 < v21
        v23 = tf.math.subtract(v9, x13)
        v18 = tf.math.count_nonzero(v23, axis=[0])
        v25, v26 = tf.split(v21, [2, 1], axis=0)
        v27, v28 = tf.split(v25, [1, 1], axis=0)
        v29 = tf.reduce_sum(v27, axis=[0], keepdims=True)
        v30 = tf.raw_ops.Sum(input=v28, axis=[0], keep_dims=True)
        v31 = tf.raw_ops.AddV2(x=v29, y=v30)
        v32 = tf.raw_ops.Sum(input=v26, axis=[0], keep_dims=True)
        v33 = tf.math.add(v31, v32)
        v19 = tf.math.subtract(v33, v33)
        return (v11, v16, v18, v19,)
