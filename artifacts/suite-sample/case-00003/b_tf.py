import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c16 = tf.identity(arrays["w_d0741c3cb33d2c4c_3x3x3x1_float32"])
        self.w_c46 = tf.identity(arrays["w_49735ee74d7ac320_3_float32"])
        self.w_c50 = arrays["w_c54d3159bb845847_3_float32"]

    def __call__(self, x0, x10, x18, c47):
        v3 = tf.expand_dims(tf.math.argmax(x0, axis=-4, output_type=tf.int64), -4)
        v5, v6 = tf.split(v3, [1, 2], axis=-3)
        v7 = tf.slice(v5, [0, 0, 0, 0], [1, 1, 7, 2])
        v8 = tf.slice(v6, [0, 0, 0, 0], [1, 1, 7, 2])
        v9 = tf.concat([v7, v8], -3)
        v10 = tf.concat([v9, v3[:, 2:]], axis=1)
        v2 = tf.expand_dims(v10, 3)
        v12 = x0[:, :, :, :, None]
        v13 = tf.math.reduce_max(v12, axis=[4], keepdims=False)
        v14 = v13[:, ::-1]
        v16 = tf.reverse(v14, axis=[-3])
        v17 = v16[:, ::-1]
        v18 = self.w_c16[:, ::-1]
        v19 = v18[:, ::-1]
        v21 = tf.reverse(v19, axis=[-3])
        v4 = tf.transpose(tf.nn.conv2d(tf.transpose(tf.pad(v17, [[0, 0], [0, 0], [0, 1], [0, 0]]), [0, 2, 3, 1]), tf.transpose(v21, [2, 3, 1, 0]), [1, 3, 2, 1], "VALID", dilations=[1, 2, 1, 1]), [0, 3, 1, 2])
        v23 = tf.gather(tf.gather(x0, [0, 2, 4], axis=2), [0], axis=3)
        v24, v25, v26 = tf.split(v23, [1, 1, 5], axis=-4)
        v27, v28 = tf.split(v25, [1, 2], axis=-3)
        v29 = tf.slice(v27, [0, 0, 0, 0], [1, 1, 3, 1])
        v30 = tf.slice(v28, [0, 0, 0, 0], [1, 1, 3, 1])
        v31 = tf.concat([v29, v30], axis=-3)
        v7_1 = tf.concat([v31, v25[:, 2:]], axis=1)
        v34 = tf.add(v26, 2.0)
        v35 = tf.math.tanh(v34)
        v36 = tf.linalg.band_part(v35, 0, -1)
        v37 = tf.where(tf.range(1) - tf.range(3)[:, None] <= -1, v35, tf.zeros_like(v35))
        v38 = tf.raw_ops.AddV2(x=v36, y=v37)
        v15 = tf.raw_ops.AddV2(x=v38, y=v38)
        v40 = tf.identity(x10)
        v42 = v24[:, 0:2]
        v43 = tf.slice(v24, [0, 2, 0, 0], [1, 1, 3, 1])
        v44 = tf.concat([v42, v43], axis=-3)
        v45 = -v44
        v46 = tf.add(v40, v45)
        v48 = tf.reshape(x18, [1, 3])
        v49 = tf.reshape(v48, [3])
        v20 = tf.transpose(tf.raw_ops.FusedBatchNormV3(x=tf.transpose(v46, [0, 2, 3, 1]), scale=self.w_c46, offset=c47, mean=v49, variance=self.w_c50, epsilon=9.999999747378752e-06, is_training=False)[0], [0, 3, 1, 2])
        return (v2, v4, v7_1, v15, v20,)
