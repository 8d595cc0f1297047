import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c3 = tf.Variable(arrays["w_98943a37fab08b40_4x1_int8"], trainable=False)

    def __call__(self, x1, x8, x9):
        v6 = tf.cast(x1, 'int32')
        v8 = tf.constant(1, dtype=tf.int8, shape=(4, 17))
        v9 = tf.cast(v8, tf.int32)
        v10 = tf.math.multiply(v6, v9)
        v11 = tf.cast(v10, tf.int8)
        v7 = tf.bitwise.bitwise_or(tf.broadcast_to(self.w_c3, (4, 17)), v11)
        v13 = tf.math.reduce_sum(x9, axis=[0], keepdims=True)
        v17 = tf.negative(v13)
        v18 = tf.where(v13 >= v17, v13, v17)
        v19 = tf.where(v13 < 0, -tf.abs(v18), tf.abs(v18))
        v14 = tf.squeeze(tf.reduce_mean(v19, axis=[0], keepdims=True), axis=[0])
        v22 = tf.truncatediv(v11, -2)
        v23 = ~v22
        c6 = tf.constant(1, dtype=tf.int8, shape=())
        v24 = c6 + v23
        v25 = ~v24
        v26 = v25 + 1
        v27 = -v26
        v28 = tf.multiply(v27, -2)
        v29 = tf.bitwise.invert(v28)
        v4 = v29 + 1
        v31 = tf.expand_dims(tf.argmax(v4, axis=-2, output_type=tf.int64), -2)
        v15 = tf.math.argmax(v31, axis=-1, output_type=tf.int64)
        v33 = tf.squeeze(tf.math.reduce_mean(x8, axis=[0, 2], keepdims=True), axis=[0, 2])
        v34 = tf.negative(v33)
        v35 = tf.maximum(v33, v34)
        v16 = tf.where(v33 < 0, -tf.abs(v35), tf.abs(v35))
        return (v7, v14, v15, v16, v4,)
