import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v20 = arrays["w_0f47ecf52af95b17_33x8x1x8_float32"]

    def __call__(self, x0, x1, x8, x9, x11):
        v5 = tf.nn.relu(x0)
        v6 = tf.negative(v5)
        v8 = tf.math.is_inf(v6)
        v9 = tf.concat([v8, v8], axis=-1)
        v10, v7 = tf.split(v9, [8, 8], axis=-1)
        v12 = tf.linalg.einsum("IJK->K", x1)
        v13 = tf.einsum("i,j,k->ijk", v12, x11, v12)
        v16 = tf.math.multiply(v13, v13)
        v17 = tf.transpose(tf.reverse(v16, axis=[-2]), [-2, -3, 2])
        v18 = tf.transpose(tf.reverse(v17, axis=[-3]), [-2, -3, 2])
        v14 = tf.transpose(v18, [0, 2, 1])
        v21 = tf.concat([self.w_v20, x0], axis=-2)
        v22 = tf.slice(v21, [0, 0, 1, 0], [33, 8, 1, 8])
        v3 = tf.raw_ops.Relu(features=v22)
        v24 = tf.negative(v3)
        v25 = tf.transpose(tf.nn.avg_pool2d(tf.transpose(v24, [0, 2, 3, 1]), [1, 2], [1, 2], "SAME"), [0, 3, 1, 2])
        v26, v27 = tf.split(v25, [7, 26], axis=-4)
        v28, v29 = tf.split(x8, 2, axis=-3)
        v30 = tf.concat([v28, v29], axis=-3)
        v31 = tf.reshape(x9, [1, 12])
        v32 = tf.concat([v31, v31], axis=-2)
        v33 = tf.reshape(v32, [24])
        v34, v35, v36 = tf.split(v33, [12, 9, 3], axis=-1)
        v37 = tf.concat([v35, v36], -1)
        v38 = tf.transpose((tf.nn.conv2d(tf.transpose(v26, [0, 2, 3, 1]), tf.transpose(v30, [2, 3, 1, 0]), [1, 1, 3, 1], "SAME", dilations=[1, 2, 1, 1]) + v37), [0, 3, 1, 2])
        local_1 = tf.split(tf.transpose(v27, [0, 2, 3, 1]), 4, axis=-1)
        local_2 = tf.split(tf.transpose(v30, [2, 3, 1, 0]), 4, axis=-1)
        v39 = tf.transpose(tf.nn.bias_add(tf.concat([tf.nn.conv2d(local_1[0], local_2[0], [1, 1, 3, 1], "SAME", dilations=[1, 2, 1, 1]), tf.nn.conv2d(local_1[1], local_2[1], [1, 1, 3, 1], "SAME", dilations=[1, 2, 1, 1]), tf.nn.conv2d(local_1[2], local_2[2], [1, 1, 3, 1], "SAME", dilations=[1, 2, 1, 1]), tf.nn.conv2d(local_1[3], local_2[3], [1, 1, 3, 1], "SAME", dilations=[1, 2, 1, 1])], axis=-1), v37), [0, 3, 1, 2])
        v40 = tf.concat([v38, v39], -4)
        v15 = tf.transpose(tf.nn.max_pool2d(tf.transpose(v40, [0, 2, 3, 1]), [1, 2], [2, 1], "VALID"), [0, 3, 1, 2])
        return (v7, v14, v15, v3,)
