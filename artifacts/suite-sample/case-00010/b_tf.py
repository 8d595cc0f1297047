import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c28 = arrays["w_3c3eebc61b7f06ae_5x5x1x5_int32"]
        self.w_c40 = arrays["w_f0a0278e4372459c_scalar_int64"]

    def __call__(self, x0, x5, x11):
        v4 = tf.reshape(x5, [5, 1, 5, 1, 5])
        v5 = tf.reshape(v4, [5, 5, 1, 5])
        v6 = x0[:, None, :, :, :]
        v7 = tf.reshape(v6, [5, 5, 1, 5])
        v8 = v7 - 1 * v5
        c8 = tf.constant(2, dtype=tf.int32, shape=())
        v11 = v8 == c8
        v13 = tf.cast(v11, 'int8')
        v15 = tf.less(c8, v8)
        v16 = tf.cast(v15, 'int8')
        v17 = tf.math.add(v13, v16)
        v9 = tf.cast(v17, tf.bool)
        v19 = tf.concat([x11, x11], axis=0)
        v27 = tf.reduce_max(x0, axis=[0], keepdims=False)
        v28 = v27[None, :, :, :]
        v30 = tf.maximum(x0, v28)
        v31 = tf.where(tf.where(v30 >= self.w_c28, v30, self.w_c28) >= x5, tf.where(v30 >= self.w_c28, v30, self.w_c28), x5)
        v32 = tf.add(x5, v31)
        v33 = tf.concat([v32, v32], axis=1)
        v34, v35 = tf.split(v33, 2, axis=1)
        v43 = -x5
        v44 = tf.concat([v43, v43], 2)
        v45 = tf.concat([v44, v44], axis=2)
        v46, v47 = tf.split(v45, 2, axis=2)
        v48, v49 = tf.split(v47, [1, 1], axis=2)
        v50 = v49[:, :, :, ::-1]
        v51 = 4 - tf.argmax(tf.reverse(v50, axis=[3]), axis=3, output_type=tf.int64)
        v14 = tf.subtract(self.w_c40, v51)
        v53 = v30[0]
        v3 = tf.concat([tf.expand_dims(v53, 0), v30[1:]], axis=0)
        v25, = self.around(v19)
        v26 = v25[5:10]
        v36 = tf.less(v26, v34)
        v37 = tf.cast(v36, tf.int8)
        v38 = v34 == v26
        v39 = tf.cast(v38, tf.int8)
        v40 = tf.math.add(v37, v39)
        v12 = tf.cast(v40, 'bool')
        return (v9, v12, v14, v3,)

    @tf.function(jit_compile=True)
    def around(self, v19):
        return self.part(v19)

    @tf.function
    def part(self, v19):
        v20 = tf.concat([v19, v19], axis=2)
        v21 = tf.concat([v20, v20], axis=2)
        v22, v23 = tf.split(v21, [2, 2], axis=2)
        v24, v25 = tf.split(v23, 2, axis=2)
        return (v25,)
