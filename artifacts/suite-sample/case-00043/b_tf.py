import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v30 = arrays["w_66687aadf862bd77_4x8_uint8"]

    def __call__(self, x0, x1, c16):
        v2 = x1[:, :, None, :]
        v3 = tf.broadcast_to(v2, [8, 8, 2, 4])
        v5 = tf.add(v2, v3)
        v6, v7 = tf.split(v5, [5, 3], axis=1)
        v9 = tf.concat([v6, v7], axis=1)
        v11 = tf.subtract(v9, v2)
        v14, v15 = tf.split(v11, [5, 3], axis=1)
        v16 = tf.reduce_sum(v14, axis=[2], keepdims=True)
        v17, v18 = tf.split(v3, [5, 3], axis=1)
        v19 = tf.raw_ops.Sum(input=v18, axis=[2], keep_dims=True)
        v4 = tf.concat([v16, v19], axis=1)
        v22 = tf.transpose(x0, perm=[0, 1])
        v23 = tf.transpose(v22)
        v24 = tf.math.multiply(tf.broadcast_to(c16, (8, 4)), v23)
        v25, v26 = tf.split(v24, [2, 2], axis=1)
        v8 = tf.concat([v25, v26], 1)
        v28 = ~x0
        v29 = ~v28
        v31 = ~self.w_v30
        v32 = ~v31
        v10 = tf.math.less(v29, v32)
        v34 = tf.constant(4, dtype=tf.uint8, shape=(4, 8))
        v35 = tf.bitwise.invert(v34)
        v36 = tf.bitwise.invert(v35)
        v37 = v36 < v29
        c31 = tf.constant(4, dtype=tf.uint8, shape=())
        v38 = tf.where(v37, tf.broadcast_to(c31, (4, 8)), x0)
        c26 = tf.constant(0, dtype=tf.uint8, shape=())
        v39 = tf.raw_ops.SelectV2(condition=v10, t=c26, e=v38)
        v12 = tf.minimum(v39, 3)
        v41 = ~v22
        v42 = ~v41
        v43 = ~v42
        v44 = tf.less(v43, v43)
        v13 = tf.transpose(v44, perm=[1, 0])
        return (v4, v8, v10, v12, v13,)
