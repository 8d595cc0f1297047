import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c1 = arrays["w_4629bc8217ecf913_4x4x4_int16"]
        self.w_c37 = tf.Variable(arrays["w_db3b287d4599e2b5_4_int16"], trainable=False)
        self.w_v46 = tf.identity(arrays["w_e9175db65a978909_4x4x4_int16"])

    def __call__(self, x0):
        v2, v3 = tf.split(self.w_c1, [3, 1], axis=-1)
        v4, v5 = tf.split(x0, [3, 1], axis=-1)
        v7 = tf.concat([x0, x0], axis=-1)
        v9 = tf.raw_ops.Relu(features=v7)
        v10 = tf.slice(v9, [0, 0, 4], [4, 4, 4])
        v12 = tf.negative(v4)
        v13 = tf.raw_ops.Relu(features=x0)
        v16 = -x0
        v17 = tf.nn.relu(v16)
        v18 = v13 * v17
        v19, v20 = tf.split(v18, [3, 1], axis=-1)
        v21 = v5 + v20
        v22 = -v21
        v23 = tf.concat([v12, v22], axis=-1)
        v24 = tf.nn.relu(v23)
        v25 = v10 * v24
        v26, v27 = tf.split(v25, [3, 1], axis=-1)
        v28 = tf.raw_ops.AddV2(x=v4, y=v26)
        v29 = tf.concat([v28, v21], axis=-1)
        v30 = tf.cast(v29, tf.int16)
        v31, v32 = tf.split(v30, [3, 1], axis=-1)
        v33 = tf.add(v2, v31)
        v34 = tf.raw_ops.AddV2(x=v3, y=v32)
        v6 = tf.concat([v33, v34], -1)
        v36 = tf.math.tanh(v29)
        v37 = tf.subtract(v36, v29)
        v38 = -v37
        v39 = tf.math.expm1(v38)
        v8 = tf.math.expm1(v39)
        v41 = tf.transpose(v30, perm=[0, 1, 2])
        v11 = tf.truncatediv(v41, self.w_c37)
        v44, v45 = tf.split(v41, [3, 1], axis=-1)
        v47, v48 = tf.split(self.w_v46, [3, 1], axis=-1)
        v49 = tf.add(v44, v47)
        v50 = tf.math.add(v45, v48)
        v51 = tf.concat([v49, v50], axis=-1)
        v14 = tf.transpose(v51, [0, 1, 2])
        v15 = tf.transpose(v14, [1, 2, 0])
        return (v6, v8, v11, v15, v14,)
