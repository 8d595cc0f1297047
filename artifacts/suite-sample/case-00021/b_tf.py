import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c17 = arrays["w_c68830a25204a09f_scalar_float32"]
        self.w_c34 = arrays["w_dee9bee38d8ce139_2_float32"]
        self.w_c43 = tf.identity(arrays["w_75e253f50979177e_scalar_float32"])

    def __call__(self, x0, x1, x2, x11):
        v4 = tf.maximum(x2, x2)
        v5 = tf.math.maximum(x2, v4)
        v6 = tf.maximum(x2, v5)
        v10 = tf.where(v6 <= v5, v6, v5)
        v11 = tf.math.minimum(v4, v10)
        v13 = tf.minimum(v11, x2)
        v14 = tf.reduce_max(v13, axis=[0], keepdims=False)
        v3 = tf.expand_dims(v14, 0)
        v17 = tf.expand_dims(x0, 2)
        v18 = tf.raw_ops.Relu(features=v17)
        v19 = tf.squeeze(tf.math.reduce_max(v18, axis=[2], keepdims=True), axis=[2])
        v20 = -v19
        v21 = tf.transpose(tf.nn.max_pool1d(tf.transpose(v20, [0, 2, 1]), [1], [1], "SAME"), [0, 2, 1])
        v23 = tf.greater(v21, self.w_c17)
        c20 = tf.constant(0.0, dtype=tf.float32, shape=())
        v7 = tf.where(v23, v21, c20)
        v8 = x1[0:1:3, 0:3]
        v27 = tf.math.reciprocal(x0)
        v28, v29, v30 = tf.split(v27, [12, 1, 4], axis=0)
        v31, v32 = tf.split(v27, [12, 5], axis=0)
        v33, v34 = tf.split(v32, [1, 4], axis=0)
        v9 = tf.concat([v28, v33, v34], axis=0)
        v36 = tf.maximum(x0, 0)
        v37 = tf.transpose((tf.nn.conv1d(tf.transpose(v36, [0, 2, 1]), tf.transpose(x11, [2, 1, 0]), [1, 1, 1], "SAME") + self.w_c34), [0, 2, 1])
        v39 = tf.raw_ops.AddV2(x=v37, y=1.0)
        v40 = tf.square(v39)
        v41 = v37 - 1.0
        v42 = tf.square(v41)
        v43 = v40 - v42
        v45 = tf.add(v43, self.w_c43)
        v46 = v45 * v45
        v47 = tf.math.subtract(v43, self.w_c43)
        v48 = v47 * v47
        v49 = tf.subtract(v46, v48)
        v50 = tf.raw_ops.AddV2(x=v49, y=self.w_c43)
        v51 = tf.square(v50)
        v52 = tf.math.subtract(v49, self.w_c43)
        v53 = v52 * v52
        v54 = tf.subtract(v51, v53)
        v12 = tf.multiply(v54, tf.broadcast_to(self.w_c43, (17, 2, 1)))
        v15 = tf.transpose(tf.nn.max_pool1d(tf.transpose(v12, [0, 2, 1]), [1], [1], "SAME"), [0, 2, 1])
        return (v3, v7, v8, v9, v15, v12, v47,)
