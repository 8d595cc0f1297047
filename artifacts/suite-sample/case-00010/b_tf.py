import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x5, x11, c28):
        v4 = tf.reshape(x5, [5, 1, 5, 1, 5])
        v5 = tf.squeeze(v4, axis=[-4])
        v6 = x0[:, None, :, :, :]
        v7 = tf.squeeze(v6, axis=[-4])
        v8 = v7 - 1 * v5
        c8 = tf.constant(2, dtype=tf.int32, shape=())
        v11 = v8 == c8
        v13 = tf.cast(v11, tf.int8)
        v15 = tf.less(c8, v8)
        v16 = tf.cast(v15, 'int8')
        v17 = v13 + v16
        v9 = tf.cast(v17, 'bool')
        v19 = tf.concat([x11, x11], axis=-4)
        v20 = tf.concat([v19, v19], axis=-2)
        v21 = tf.concat([v20, v20], -2)
        v22, v23 = tf.split(v21, 2, axis=-2)
        v24, v25 = tf.split(v23, 2, axis=-2)
        v26 = v25[5:10]
        v27 = tf.reduce_max(x0, axis=[0], keepdims=False)
        v28 = tf.reshape(v27, [1, 5, 1, 5])
        v30 = tf.where(x0 >= v28, x0, v28)
        v31 = tf.maximum(tf.maximum(v30, c28), x5)
        v32 = tf.raw_ops.AddV2(x=x5, y=v31)
        v33 = tf.concat([v32, v32], axis=-3)
        v34, v35 = tf.split(v33, 2, axis=-3)
        v36 = v26 < v34
        v37 = tf.cast(v36, tf.int8)
        v38 = tf.math.equal(v34, v26)
        v39 = tf.cast(v38, tf.int8)
        v40 = v37 + v39
        v12 = tf.cast(v40, tf.bool)
        v43 = tf.negative(x5)
        v44 = tf.concat([v43, v43], -2)
        v45 = tf.concat([v44, v44], axis=-2)
        v46, v47 = tf.split(v45, 2, axis=-2)
        v48, v49 = tf.split(v47, [1, 1], axis=-2)
        v50 = v49[:, :, :, ::-1]
        v51 = 4 - tf.argmax(tf.reverse(v50, axis=[-1]), axis=-1, output_type=tf.int64)
        c40 = tf.constant(4, dtype=tf.int64, shape=())
        v14 = tf.math.subtract(c40, v51)
        v53 = v30[0]
        v3 = tf.concat([tf.expand_dims(v53, 0), v30[1:]], axis=0)
        return (v9, v12, v14, v3,)
