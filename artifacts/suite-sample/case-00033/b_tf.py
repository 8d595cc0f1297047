import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c50 = arrays["w_c5d284b6757650d4_32x8x2_float32"]
        self.w_v4 = tf.identity(arrays["w_cbc2c114336c1da8_7x8x7_float32"])

    def __call__(self, x0, x3, x15):
        v5, v6 = tf.split(self.w_v4, [6, 1], axis=2)
        v7 = tf.concat([v5, v6], axis=2)
        v9 = tf.greater(x0, v7)
        v12 = tf.raw_ops.SelectV2(condition=v9, t=x3, e=x0)
        v14 = tf.cast(v12, 'float16')
        v11 = tf.cast(v14, tf.int16)
        v17 = tf.constant(2.0, dtype=tf.float32, shape=(7, 8, 8))
        v18, v19 = tf.split(v17, [7, 1], axis=1)
        v20, v21 = tf.split(v18, [6, 1], axis=0)
        v22, v23 = tf.split(v20, [5, 1], axis=0)
        v24, v25 = tf.split(v17, [6, 1], axis=0)
        v26, v27 = tf.split(v24, [5, 1], axis=0)
        v28 = tf.matmul(tf.linalg.matrix_transpose(v22), v26, transpose_a=True)
        v29 = v23 @ v27
        v30 = tf.concat([v28, v29], 0)
        v31, v32 = tf.split(v21, [3, 4], axis=1)
        v33 = tf.matmul(v31, tf.linalg.matrix_transpose(v25), transpose_b=True)
        v34 = tf.matmul(tf.linalg.matrix_transpose(v32), v25, transpose_a=True)
        v35 = tf.concat([v33, v34], axis=1)
        v36 = tf.concat([v30, v35], axis=0)
        v37 = tf.pad(v36, [[0, 0], [0, 1], [0, 0]], constant_values=0.0)
        v38, v39 = tf.split(v19, [6, 1], axis=0)
        v51 = tf.cast(v14, 'float32')
        v52 = tf.where(v51 < 0, 0.0 * v51, v51)
        v53, v54 = tf.split(self.w_c50, [17, 15], axis=0)
        v55 = tf.math.abs(x15)
        v56 = tf.where(x15 < 0, -tf.abs(v55), tf.abs(v55))
        v57, v58 = tf.split(v56, [17, 15], axis=0)
        v59 = tf.transpose((tf.nn.convolution(tf.transpose(v52, [0, 2, 1]), tf.transpose(v53, [2, 1, 0]), strides=[1], padding="VALID", dilations=[1]) + v57), [0, 2, 1])
        v60 = tf.transpose(tf.nn.bias_add(tf.nn.convolution(tf.transpose(v52, [0, 2, 1]), tf.transpose(v54, [2, 1, 0]), strides=[1], padding="VALID", dilations=[1]), v58), [0, 2, 1])
        v16 = tf.concat([v59, v60], axis=1)
        v47, = self.around()(v38, v26, v27, v39, v25)
        v48 = tf.math.add(v37, v47)
        v8 = tf.transpose(v48, [0, 2, 1])
        v13 = tf.math.erf(v8)
        return (v11, v13, v16, v8,)

    def around(self):
        @tf.function
        def part(v38, v26, v27, v39, v25):
            v40, v41 = tf.split(v38, [5, 1], axis=0)
            v42 = tf.matmul(v40, v26)
            v43 = v41 @ v27
            v44 = tf.concat([v42, v43], axis=0)
            v45 = tf.linalg.matmul(v39, v25)
            v46 = tf.concat([v44, v45], axis=0)
            v47 = tf.pad(v46, [[0, 0], [7, 0], [0, 0]], constant_values=0.0)
            return (v47,)

        return part
