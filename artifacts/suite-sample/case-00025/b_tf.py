import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = arrays["w_fd2dfe5a970df6ec_15x1_float32"]
        self.w_v57 = tf.Variable(arrays["w_c52f140690590096_15x2_float32"], trainable=False)

    def __call__(self, x0, x2):
        v2 = tf.identity(x0)
        v4 = tf.constant(0.0, dtype=tf.float32, shape=(15, 1))
        v5 = tf.negative(v4)
        v6 = x2 + v5
        v7 = tf.maximum(tf.maximum(tf.maximum(v2, v2), v6), v2)
        v12 = tf.math.maximum(v7, self.w_c8)
        v10 = tf.reshape(x2, [1, 5, 1, 1, 3])
        v11, v16 = tf.split(v10, [3, 2], axis=1)
        v13 = tf.concat([v11, v16], axis=1)
        v14 = tf.maximum(v7, 0)
        v20 = tf.broadcast_to(x0, [15, 2])
        v21 = tf.math.maximum(tf.math.maximum(tf.math.maximum(x0, x0), x2), x0)
        v23 = tf.math.add(v21, v20)
        v25 = tf.multiply(v23, 3.0)
        v27 = tf.multiply(v25, 8.0)
        v28 = tf.raw_ops.AddV2(x=x0, y=v27)
        c15 = tf.constant(0.0, dtype=tf.float32, shape=())
        v29 = tf.greater(c15, v28)
        v30 = tf.logical_not(v29)
        v31 = tf.identity(v20)
        v32 = tf.math.add(v21, x0)
        v33 = tf.constant(3.0, dtype=tf.float32, shape=(1, 2))
        v34 = v33[:, 0:1]
        v36 = v32 * v34
        v37, v38 = tf.split(v32, [6, 9], axis=0)
        v40, v41 = tf.split(v33, [1, 1], axis=1)
        v43 = tf.math.multiply(v37, tf.broadcast_to(v41, (6, 1)))
        v46 = v38 * v41
        v47 = tf.concat([v43, v46], axis=0)
        v48 = tf.concat([v36, v47], axis=1)
        v51 = tf.math.multiply(v48, 8.0)
        v52 = tf.raw_ops.AddV2(x=v31, y=v51)
        v53 = tf.negative(v52)
        v54 = tf.negative(v53)
        v55 = -v54
        v58 = -self.w_v57
        v59 = -v58
        v60 = tf.negative(v59)
        v61 = tf.math.less(v55, v60)
        v62 = ~v61
        c56 = tf.constant(1.0, dtype=tf.float32, shape=())
        v63 = tf.raw_ops.SelectV2(condition=v62, t=v52, e=c56)
        v64 = tf.where(v30, v63, c15)
        v15 = tf.math.floor(v64)
        return (v12, v13, v14, v15, v30,)
