import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c22 = tf.Variable(arrays["w_e40d226a17ff427c_3x17_float32"], trainable=False)
        self.w_c38 = tf.identity(arrays["w_7a04044da9d2876e_32_float32"])

    def __call__(self, x0, x1, x8, x9, x15):
        v5 = tf.concat([x0, x0], axis=0)
        v7 = tf.concat([x0, v5], 0)
        v8, v9 = tf.split(v7, [6, 3], axis=0)
        v13 = tf.concat([x0, v9], axis=0)
        v15 = tf.concat([v13, x0], 0)
        v18, v19 = tf.split(v15, [6, 3], axis=0)
        v20 = tf.concat([v5, v19], 0)
        v21 = tf.concat([v20, x0], axis=0)
        v22, v23 = tf.split(v21, [6, 6], axis=0)
        v24, v25 = tf.split(v23, [3, 3], axis=0)
        v26 = v25[::-1, ::-1, ::-1]
        v27 = tf.nn.log_softmax(v26, axis=0)
        v6 = tf.math.exp(v27)
        v30 = (v25 + self.w_c22) / 2
        v31 = tf.stack([x8, x8], axis=0)
        v32, v33 = tf.unstack(v31, axis=0)
        v34 = tf.stack([x9, x9], axis=0)
        v35, v36 = tf.unstack(v34, axis=0)
        v10 = ((v30 + v33) + v36) / 3
        v38 = tf.nn.log_softmax(v25, axis=0)
        v39 = tf.math.exp(v38)
        v40 = tf.math.log(v39)
        v11 = tf.negative(v40)
        v42 = tf.reduce_max(v11, axis=[1], keepdims=False)
        v12 = tf.math.reduce_max(v42, axis=[0], keepdims=False)
        v44 = x1[:, tf.newaxis] * self.w_c38[tf.newaxis, :]
        v45 = v44[:, :, None]
        v14 = tf.raw_ops.Max(input=v45, axis=[2], keep_dims=False)
        v16 = tf.transpose(tf.nn.conv1d(tf.transpose(v40, [0, 2, 1]), tf.transpose(x15, [2, 1, 0]), [1, 2, 1], "VALID"), [0, 2, 1])
        v48 = tf.math.ceil(x15)
        v49 = tf.concat([v48, v48], axis=1)
        v50 = tf.concat([v49, v49], 0)
        v51 = tf.concat([v50, v50], axis=0)
        v52, v53 = tf.split(v51, [34, 34], axis=0)
        v54, v55 = tf.split(v53, 2, axis=0)
        v17 = tf.slice(v55, [0, 3, 0], [17, 3, 2])
        return (v6, v10, v12, v14, v16, v17, v11,)
