import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c14 = tf.identity(arrays["w_a586bb0d01150043_15x15x7_float32"])
        self.w_c44 = arrays["w_b4cd0bf0cc8a95d3_1x16_float64"]
        self.w_v45 = arrays["w_396d4afe411825be_16x16_float64"]

    def __call__(self, x0, x2, x5, x9, x17):
        v5 = tf.maximum(x5, x5)
        v7 = tf.where(x5 <= v5, x5, v5)
        d0 = v7[:, 16::-1]
        v6 = tf.transpose(d0, [1, 0, 2])
        v9 = x9[0:7]
        v12 = tf.broadcast_to(v9, [15, 15, 7])
        v13 = tf.transpose(v12, perm=[1, 0, 2])
        v14 = tf.transpose(v13, perm=[1, 0, 2])
        v15 = abs(x2)
        d2 = x2 < 0.0
        d3 = abs(v15)
        d4 = tf.negative(d3)
        d5 = abs(v15)
        v17 = tf.where(d2, d4, d5)
        v19 = v17 <= self.w_c14
        v20 = tf.cast(v19, 'float32')
        v21 = tf.transpose(v20, perm=[1, 0, 2])
        v22 = tf.transpose(v21, perm=[1, 0, 2])
        v23 = tf.math.multiply(v14, v22)
        v24 = tf.transpose(v23, [1, 0, 2])
        v25 = tf.transpose(v24, perm=[1, 0, 2])
        v26 = tf.transpose(v17, perm=[1, 0, 2])
        v27 = tf.transpose(v26, perm=[1, 0, 2])
        v28 = tf.constant(1.0, dtype=tf.float32, shape=(15, 15, 7))
        v29 = tf.transpose(v28, [1, 0, 2])
        v30 = tf.math.subtract(v29, v21)
        v31 = tf.transpose(v30, perm=[1, 0, 2])
        v32 = tf.multiply(v27, v31)
        v33 = tf.transpose(v32, [1, 0, 2])
        v34 = tf.transpose(v33, [1, 0, 2])
        v10 = tf.add_n([v25, v34])
        v36, v37 = tf.split(x0, [3, 2], axis=0)
        v38 = v36[0:3]
        v39 = x0[3:5]
        v40 = tf.concat([v38, v39], 0)
        v41 = tf.raw_ops.Relu(features=v40)
        v42 = tf.squeeze(tf.raw_ops.Min(input=v41, axis=[1], keep_dims=True), axis=[1])
        v43 = tf.argmin(v41, axis=1, output_type=tf.int64)
        v11 = tf.squeeze(tf.reduce_sum(tf.math.abs(v43), axis=[0], keepdims=True), axis=[0])
        v46 = tf.matmul(v40, self.w_v45) + self.w_c44
        v47 = tf.negative(v46)
        v16 = tf.raw_ops.Relu(features=v47)
        v49 = tf.cast(x17, 'int64')
        v50 = tf.cast(v49, tf.uint8)
        v51 = tf.cast(v50, 'int64')
        v52 = tf.reshape(v51, [1, 5, 1, 1])
        v18 = tf.cast(v52, tf.uint8)
        return (v6, v10, v11, v16, v18,)
