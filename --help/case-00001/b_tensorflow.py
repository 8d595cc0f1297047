import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c11 = arrays["w_a586bb0d01150043_15x15x7_float32"]
        self.w_c22 = tf.Variable(arrays["w_af5570f5a1810b7a_scalar_float64"], trainable=False)
        self.w_c34 = tf.identity(arrays["w_b4cd0bf0cc8a95d3_1x16_float64"])
        self.w_v26 = arrays["w_9e132485d5107211_5x16_float64"]

    def __call__(self, x0, x2, x5, x9, x17):
        v5 = x5 > x5
        v7 = tf.raw_ops.SelectV2(condition=v5, t=x5, e=x5)
        v8 = tf.minimum(x5, v7)
        d0 = v8[:, 16::-1]
        v6 = tf.transpose(d0, [1, 0, 2])
        v12 = abs(x2)
        d2 = x2 < 0.0
        d3 = abs(v12)
        d4 = tf.negative(d3)
        d5 = abs(v12)
        v13 = tf.raw_ops.SelectV2(condition=d2, t=d4, e=d5)
        v14 = tf.math.less_equal(v13, self.w_c11)
        v15 = tf.slice(x9, [0], [7])
        v10 = tf.raw_ops.SelectV2(condition=v14, t=v15, e=v13)
        v20 = tf.slice(x0, [0, 0], [3, 16])
        v21, v22 = tf.split(x0, [3, 2], axis=0)
        v23 = tf.slice(v22, [0, 0], [2, 16])
        v24 = tf.concat([v20, v23], axis=0)
        v25 = tf.linalg.matrix_transpose(v24)
        v27 = tf.greater(v24, self.w_c22)
        v28 = tf.cast(v27, 'float64')
        v29 = tf.transpose(v28, perm=[1, 0])
        v30 = tf.math.multiply(v25, v29)
        v31 = tf.transpose(v30)
        v32 = tf.math.reduce_min(v31, axis=[1], keepdims=False)
        v33 = tf.argmin(v31, axis=1, output_type=tf.int64)
        v11 = tf.squeeze(tf.reduce_sum(tf.math.abs(v33), axis=[0], keepdims=True), axis=[0])
        v35 = tf.constant(3.0, dtype=tf.float64, shape=(16, 16))
        v36 = tf.matmul(x0, v35) + self.w_c34
        v37 = tf.negative(v36)
        v38 = tf.where(v37 >= tf.broadcast_to(self.w_c22, (5, 16)), v37, tf.broadcast_to(self.w_c22, (5, 16)))
        v39 = v38[0:3]
        v40 = tf.matmul(v24, v35) + self.w_c34
        v41 = tf.negative(v40)
        v42 = v41 > self.w_c22
        v44 = tf.split(v42, [3, 2], axis=0)[1]
        v46 = tf.split(v41, [3, 2], axis=0)[1]
        v47, v48 = tf.split(self.w_v26, [3, 2], axis=0)
        v49 = tf.raw_ops.SelectV2(condition=v44, t=v46, e=v48)
        v16 = tf.concat([v39, v49], 0)
        v51 = tf.cast(x17, 'int64')
        v52 = tf.cast(v51, tf.uint8)
        v53 = tf.cast(v52, tf.int64)
        v54 = tf.reshape(v53, [1, 5, 1, 1])
        v18 = tf.cast(v54, tf.uint8)
        return (v6, v10, v11, v16, v18,)
