import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c34 = arrays["w_b8290328b405287b_3x4_float32"]
        self.w_v41 = tf.Variable(arrays["w_374708fff7719dd5_1x1x4_float32"], trainable=False)

    def __call__(self, x0, x2, x4, x9, x16, c28):
        v9 = -x2
        v10 = x2 >= v9
        v11 = tf.logical_not(v10)
        v12 = tf.where(v11, v9, x2)
        v13 = tf.cast(v12, 'int32')
        v14 = tf.cast(v13, tf.int8)
        v16 = tf.sign(x2)
        v18 = tf.cast(v16, tf.int32)
        v19 = tf.cast(v18, 'int8')
        v20 = tf.math.multiply(v14, v19)
        v6 = v20 < 0
        v22 = tf.negative(x0)
        v23 = tf.maximum(x0, v22)
        v24 = tf.math.sign(x0)
        v25 = v23 * v24
        v26 = tf.math.greater_equal(v25, v25)
        v7 = tf.cast(v26, 'int32')
        v28 = tf.logical_not(v26)
        v29 = tf.logical_not(v28)
        v30 = ~v29
        v31 = tf.where(v30, v20, v20)
        v5 = v31 < x4
        v8 = tf.shape(v5, out_type=tf.int64)
        v34 = tf.constant(1.2683452367782593, dtype=tf.float32, shape=(1, 1, 1))
        v35 = tf.matmul(tf.nn.softmax(tf.where(tf.cast(tf.linalg.band_part(tf.ones((1, 1)), -1, 0), tf.bool), tf.matmul(x9 * 0.125, c28, transpose_b=True), tf.constant(float("-inf"), dtype=tf.float32))), v34)
        v36 = tf.reshape(v35, [1, 1])
        v15 = tf.reshape(v36, [1, 1, 1])
        v38 = tf.linalg.matmul(x9, self.w_c34)
        v39 = -v38
        v40 = -v39
        v42 = tf.negative(self.w_v41)
        v43 = -v42
        v44 = tf.less(v40, v43)
        v45 = tf.logical_not(v44)
        v46 = ~v45
        c38 = tf.constant(0.0, dtype=tf.float32, shape=())
        v47 = tf.greater_equal(c38, x16)
        v48 = tf.logical_not(v47)
        v49 = tf.raw_ops.SelectV2(condition=v48, t=x16, e=c38)
        v50 = tf.maximum(v38, x16)
        v17 = tf.where(v46, v49, v50)
        return (v6, v7, v8, v15, v17, v5,)
