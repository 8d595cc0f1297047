import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c25 = tf.identity(arrays["w_95808a6268a87720_3_float32"])

    def __call__(self, x1, x5, x6, x16):
        v2 = tf.math.argmax(x1, axis=-2, output_type=tf.int64)
        c5 = tf.constant(2, dtype=tf.int64, shape=())
        v4 = tf.nn.embedding_lookup(x1, c5)
        v17 = tf.roll(x6, shift=(1,), axis=(-1,))
        v41 = tf.math.sigmoid(x1)
        v42, v43, v44 = tf.split(x16, [8, 1, 8], axis=-1)
        v45 = tf.concat([v42, v43, v44], axis=-1)
        v46 = tf.subtract(v41, v45)
        v18 = tf.cast(v46, 'int8')
        v13, v14 = self.around(x5, v17)
        return (v2, v4, v13, v14, v18,)

    @tf.function(jit_compile=True)
    def around(self, x5, v17):
        @tf.function(jit_compile=True)
        def part(x5, v17):
            v9 = x5 * 3.0
            v10 = tf.concat([v9, v9], -2)
            v11, v12 = tf.split(v10, [3, 3], axis=-2)
            v15 = tf.expand_dims(v12, 2)
            v19 = tf.roll(v17, shift=(-1,), axis=(-1,))
            v20 = tf.reshape(v19, [1, 3, 3])
            v22 = tf.multiply(v15, v20)
            v23 = tf.reduce_sum(v22, axis=[1], keepdims=False)
            v24 = tf.cast(v23, 'float64')
            v25 = tf.concat([v24, v24], -1)
            v26, v27 = tf.split(v25, [3, 3], axis=-1)
            v28 = tf.cast(self.w_c25, 'float64')
            v29 = tf.broadcast_to(v28, [3, 3])
            v30 = tf.concat([v29, v29], axis=-1)
            v31, v32 = tf.split(v30, [3, 3], axis=-1)
            v33 = tf.math.add(v26, v31)
            v34 = tf.cast(v33, 'float32')
            v35 = tf.math.log(v34)
            v36 = tf.constant(2.0, dtype=tf.float32, shape=(3, 3))
            v37 = tf.math.log(v36)
            v13 = tf.divide(v35, v37)
            local_1 = tf.nn.moments(v34, axes=[0, 1], keepdims=False)
            v14, v40 = (local_1[1], local_1[0])
            return (v13, v14,)

        return part(x5, v17)
