import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x4, x8, x10, x12, x20):
        c5 = tf.constant(3, dtype=tf.uint64, shape=())
        v8 = tf.math.floormod(x4, tf.broadcast_to(c5, (32, 15)))
        v10 = tf.minimum(v8, 1)
        v12 = tf.identity(v8)
        v13 = tf.math.multiply(v10, v12)
        v7 = v13 + 3
        v16 = tf.nn.relu(x8)
        v18 = 0.0 - x8
        v19 = abs(v18)
        v20 = tf.raw_ops.AddV2(x=v18, y=v19)
        v23 = tf.multiply(v20, 0.5)
        v24 = tf.math.maximum(v16, v23)
        v25 = tf.less(v16, v23)
        v26 = tf.where(v25, v16, v23)
        v27 = tf.subtract(v24, v26)
        v28 = tf.raw_ops.AddV2(x=x8, y=v27)
        v29 = v28 * 0.5
        v30 = tf.subtract(v29, v23)
        v9 = tf.reduce_logsumexp(v30, axis=[0, 1], keepdims=True)
        d0 = x10[:, :, 14::-1]
        v11 = tf.linalg.matrix_transpose(d0)
        v33 = tf.expand_dims(x12, 1)
        v34 = tf.reverse(v33, axis=[-1])
        v35 = v34[:, :, :, ::-1]
        v36 = tf.reverse(v35, axis=[-1])
        v37 = tf.constant(2.0, dtype=tf.float16, shape=(2, 1, 17, 2))
        v38 = tf.transpose(v37, perm=[0, 1, 3, 2])
        v39 = v38[:, :, ::-1]
        v40 = tf.reverse(v39, axis=[-2])
        v41 = tf.reverse(v40, axis=[-2])
        v42 = tf.matmul(v36, tf.linalg.matrix_transpose(v41), transpose_b=True)
        c43 = tf.constant(2.0, dtype=tf.float16, shape=())
        v45 = v42 / c43
        v46 = tf.sign(x20)
        v48 = tf.broadcast_to(x20, [2, 1, 17, 17])
        v49 = abs(v48)
        v50 = v46 * v49
        v51 = tf.add(v45, v50)
        v52 = tf.slice(v51, [0, 0, 0, 0], [1, 1, 17, 17])
        v53 = tf.nn.log_softmax(v52, axis=-1)
        v54 = v51[1:2]
        v55 = tf.nn.log_softmax(v54, axis=-1)
        v56 = tf.concat([v53, v55], -4)
        v22 = tf.math.exp(v56)
        return (v7, v9, v11, v22,)
