import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c25 = tf.identity(arrays["w_95808a6268a87720_3_float32"])

    def __call__(self, x1, x5, x6, x16):
        v2 = tf.argmax(x1, axis=0, output_type=tf.int64)
        c5 = tf.constant(2, dtype=tf.int64, shape=())
        v4 = tf.gather(x1, c5)
        v9 = x5 * 3.0
        v10 = tf.concat([v9, v9], 0)
        v11, v12 = tf.split(v10, [3, 3], axis=0)
        v15 = v12[:, :, None]
        v17 = tf.roll(x6, shift=(1,), axis=(1,))
        v19 = tf.roll(v17, shift=(-1,), axis=(1,))
        v20 = tf.expand_dims(v19, 0)
        v22 = tf.multiply(v15, v20)
        v23 = tf.raw_ops.Sum(input=v22, axis=[1], keep_dims=False)
        v24 = tf.cast(v23, 'float64')
        v25 = tf.concat([v24, v24], 1)
        v26, v27 = tf.split(v25, 2, axis=1)
        v28 = tf.cast(self.w_c25, tf.float64)
        v29 = tf.broadcast_to(v28, [3, 3])
        v30 = tf.concat([v29, v29], 1)
        v31, v32 = tf.split(v30, 2, axis=1)
        v33 = v26 + v31
        v34 = tf.cast(v33, tf.float32)
        v35 = tf.math.log(v34)
        v36 = tf.constant(2.0, dtype=tf.float32, shape=(3, 3))
        v37 = tf.math.log(v36)
        v13 = tf.divide(v35, v37)
        local_1 = tf.nn.moments(v34, axes=[0, 1], keepdims=False)
        v14, v40 = (local_1[1], local_1[0])
        v41 = tf.sigmoid(x1)
        v42, v43, v44 = tf.split(x16, [8, 1, 8], axis=1)
        v45 = tf.concat([v42, v43, v44], axis=1)
        v46 = v41 - v45
        v18 = tf.cast(v46, tf.int8)
        return (v2, v4, v13, v14, v18,)
