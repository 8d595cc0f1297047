import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c15 = tf.Variable(arrays["w_c91c540df15c99f0_5x2_float64"], trainable=False)

    def __call__(self, x0, x2, x4):
        v3 = tf.cast(x0, tf.int16)
        v11 = tf.transpose(v3, perm=[2, 1, 3, 0])
        v12 = tf.concat([v11, v11], axis=3)
        v14 = tf.add(v11, -1)
        c16 = tf.constant(1.0, dtype=tf.float64, shape=(5,))
        v17 = tf.matmul(x2, self.w_c15, transpose_b=True) + c16
        v10, = self.around(x4, x0)
        return (v10, v12, v14, v17,)

    @tf.function(jit_compile=True)
    def around(self, x4, x0):
        @tf.function
        def part(x4, x0):
            v5 = tf.transpose(x4, [0, 1, 3, 2])
            v6 = tf.matmul(x0, tf.linalg.matrix_transpose(v5), transpose_b=True)
            c7 = tf.constant(4.0, dtype=tf.float32, shape=())
            v8 = v6 / c7
            v9 = tf.nn.softmax(v8, axis=3)
            v10 = tf.matmul(v9, x4)
            return (v10,)

        return part(x4, x0)
