import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c34 = arrays["w_dee9bee38d8ce139_2_float32"]
        self.w_c36 = tf.Variable(arrays["w_e00e5eb9444182f3_scalar_float32"], trainable=False)

    def __call__(self, x0, x1, x2, x11):
        v4 = tf.where(x2 >= x2, x2, x2)
        v5 = tf.math.maximum(x2, v4)
        v6 = tf.math.maximum(x2, v5)
        v10 = tf.where(v6 <= v5, v6, v5)
        v11 = tf.minimum(v4, v10)
        v13 = tf.where(v11 <= x2, v11, x2)
        v14 = tf.math.reduce_max(v13, axis=[0], keepdims=False)
        v3 = tf.expand_dims(v14, 0)
        v17 = tf.expand_dims(x0, 2)
        v18 = tf.maximum(v17, 0)
        v19 = tf.reduce_max(v18, axis=[2], keepdims=False)
        v20 = tf.negative(v19)
        v21 = tf.transpose(tf.nn.max_pool1d(tf.transpose(v20, [0, 2, 1]), [1], [1], "SAME"), [0, 2, 1])
        c17 = tf.constant(-1.0, dtype=tf.float32, shape=())
        v23 = tf.math.greater(v21, c17)
        c20 = tf.constant(0.0, dtype=tf.float32, shape=())
        v7 = tf.where(v23, v21, c20)
        v8 = x1[0:1:3, 0:3]
        v27 = 1.0 / x0
        v28, v29, v30 = tf.split(v27, [12, 1, 4], axis=-3)
        v31, v32 = tf.split(v27, [12, 5], axis=-3)
        v33, v34 = tf.split(v32, [1, 4], axis=-3)
        v9 = tf.concat([v28, v33, v34], -3)
        v36 = tf.maximum(x0, 0)
        v37 = tf.transpose(tf.nn.bias_add(tf.nn.conv1d(tf.transpose(v36, [0, 2, 1]), tf.transpose(x11, [2, 1, 0]), [1, 1, 1], "SAME"), self.w_c34), [0, 2, 1])
        v39 = v37 + tf.broadcast_to(self.w_c36, (17, 2, 1))
        v40 = tf.math.square(v39)
        v41 = v37 - self.w_c36
        v42 = v41 * v41
        v43 = tf.math.subtract(v40, v42)
        v45 = tf.add(v43, 0.25)
        v46 = tf.math.square(v45)
        c43 = tf.constant(0.25, dtype=tf.float32, shape=())
        v47 = tf.subtract(v43, tf.broadcast_to(c43, (17, 2, 1)))
        v48 = tf.math.square(v47)
        v49 = v46 - v48
        v50 = v49 + 0.25
        v51 = tf.math.square(v50)
        v52 = v49 - 0.25
        v53 = v52 * v52
        v54 = tf.subtract(v51, v53)
        v12 = tf.math.multiply(v54, tf.broadcast_to(c43, (17, 2, 1)))
        v15 = tf.transpose(tf.nn.max_pool1d(tf.transpose(v12, [0, 2, 1]), [1], [1], "SAME"), [0, 2, 1])
        return (v3, v7, v8, v9, v15, v12,)
