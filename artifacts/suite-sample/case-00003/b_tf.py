import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c31 = tf.identity(arrays["w_d88c86f15bbea365_scalar_float32"])
        self.w_c46 = tf.Variable(arrays["w_49735ee74d7ac320_3_float32"], trainable=False)
        self.w_c47 = tf.Variable(arrays["w_474f81fbdc00df73_3_float32"], trainable=False)
        self.w_c50 = arrays["w_c54d3159bb845847_3_float32"]

    def __call__(self, x0, x10, x18, c16):
        v12 = tf.reshape(x0, [7, 3, 7, 2, 1])
        v13 = tf.math.reduce_max(v12, axis=[4], keepdims=False)
        v14 = v13[:, ::-1]
        v16 = tf.reverse(v14, axis=[1])
        v17 = v16[:, ::-1]
        v18 = c16[:, ::-1]
        v19 = tf.reverse(v18, axis=[1])
        v21 = v19[:, ::-1]
        v4 = tf.transpose(tf.nn.conv2d(tf.transpose(tf.pad(v17, [[0, 0], [0, 0], [0, 1], [0, 0]]), [0, 2, 3, 1]), tf.transpose(v21, [2, 3, 1, 0]), [1, 3, 2, 1], "VALID", dilations=[1, 2, 1, 1]), [0, 3, 1, 2])
        v23 = tf.transpose(tf.compat.v1.image.resize_nearest_neighbor(tf.transpose(x0, [0, 2, 3, 1]), [3, 1]), [0, 3, 1, 2])
        v24, v25, v26 = tf.split(v23, [1, 1, 5], axis=0)
        v27, v28 = tf.split(v25, [1, 2], axis=1)
        v29 = v27[:, 0:1]
        v30 = v28[:, 0:1]
        v31 = tf.concat([v29, v30], axis=1)
        v7_1 = tf.concat([v31, v25[:, 2:]], axis=1)
        v34 = tf.math.add(v26, self.w_c31)
        v35 = tf.tanh(v34)
        v36 = tf.where(tf.range(1) - tf.range(3)[:, None] >= 0, v35, tf.zeros_like(v35))
        v37 = tf.where(tf.range(1) - tf.range(3)[:, None] <= -1, v35, tf.zeros_like(v35))
        v38 = tf.raw_ops.AddV2(x=v36, y=v37)
        v15 = tf.add(v38, v38)
        v40 = tf.nn.dropout(x10, rate=0.0)
        v42 = v24[:, 0:2]
        v43 = v24[:, 2:3]
        v44 = tf.concat([v42, v43], axis=1)
        v45 = -v44
        v46 = tf.add(tf.broadcast_to(v40, (1, 3, 3, 1)), v45)
        v48 = tf.reshape(x18, [1, 3])
        v49 = tf.reshape(v48, [3])
        v20 = tf.transpose(tf.raw_ops.FusedBatchNormV3(x=tf.transpose(v46, [0, 2, 3, 1]), scale=self.w_c46, offset=self.w_c47, mean=v49, variance=self.w_c50, epsilon=9.999999747378752e-06, is_training=False)[0], [0, 3, 1, 2])
        v2, = self.around()(x0)
        return (v2, v4, v7_1, v15, v20,)

    def around(self):
        @tf.function(jit_compile=True)
        def part(x0):
            v3 = tf.expand_dims(tf.math.argmax(x0, axis=0, output_type=tf.int64), 0)
            v5, v6 = tf.split(v3, [1, 2], axis=1)
            v7 = tf.slice(v5, [0, 0, 0, 0], [1, 1, 7, 2])
            v8 = v6[:, 0:1]
            v9 = tf.concat([v7, v8], 1)
            v10 = tf.concat([v9, v3[:, 2:]], axis=1)
            v2 = tf.reshape(v10, [1, 3, 7, 1, 2])
            return (v2,)

        return part
