import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c13 = tf.identity(arrays["w_29ecd85bc6035055_5x1x5x5_uint32"])

    def __call__(self, x0, x1, x3, x15):
        v4 = tf.acosh(x0)
        v6 = tf.pad(v4, [[0, 0], [0, 0], [1, 2]], constant_values=0.0)
        v5 = v6[:, :, 1:17]
        v11 = x1[:, :, :, 0:5:3]
        v12 = tf.pad(v11, [[0, 0], [0, 0], [1, 2], [0, 0]], constant_values=0)
        v7 = tf.pad(v12[:, :, 1:6], [[0, 0], [0, 0], [0, 0], [0, 0]], constant_values=0)
        v14 = tf.transpose(tf.nn.avg_pool1d(tf.transpose(x0, [0, 2, 1]), [3], [2], "VALID"), [0, 2, 1])
        v15 = tf.roll(v14, shift=(15,), axis=(1,))
        v8 = tf.roll(v15, shift=(-15,), axis=(1,))
        v19 = x1[::-1, ::-1, ::-1, ::-1]
        v20 = tf.broadcast_to(v19, [2, 5, 5, 5, 5])
        v21 = v20[1:2]
        v2 = tf.squeeze(v21, axis=[0])
        v10 = self.w_c13 * v2
        v32 = tf.constant(2.0, dtype=tf.float32, shape=(16, 17))
        v33 = v32[::-1]
        v34 = tf.reverse(v33, axis=[0])
        v35 = tf.reshape(v34, [1, 16, 17])
        v30, = self.around(x3)
        v31 = v30[None, :, :]
        v36 = tf.matmul(v31, v35)
        v37 = tf.squeeze(v36, axis=[0])
        v39 = v37 / 8.0
        v16 = tf.raw_ops.AddV2(x=x15, y=v39)
        return (v5, v7, v8, v10, v16, v2,)

    def around(self, x3):
        @tf.function
        def part(x3):
            v25 = tf.math.sin(x3)
            v26, v27 = tf.split(v25, [3, 13], axis=1)
            v28 = tf.concat([v26, v27], 1)
            v29 = tf.reverse(v28, axis=[1])
            v30 = v29[:, ::-1]
            return (v30,)

        return part(x3)
