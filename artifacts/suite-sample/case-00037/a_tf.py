import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x1, x8, x9, x11):
        v3 = tf.raw_ops.Relu(features=x0)
        v6 = -v3
        v7 = tf.math.is_inf(v6)
        v13 = tf.transpose(tf.nn.avg_pool2d(tf.transpose(v6, [0, 2, 3, 1]), [1, 2], [1, 2], "SAME"), [0, 3, 1, 2])
        v16 = tf.transpose((tf.nn.conv2d(tf.transpose(v13, [0, 2, 3, 1]), tf.transpose(x8, [2, 3, 1, 0]), [1, 1, 3, 1], "SAME", dilations=[1, 2, 1, 1]) + x9), [0, 3, 1, 2])
        v15 = tf.transpose(tf.nn.max_pool2d(tf.transpose(v16, [0, 2, 3, 1]), [1, 2], [2, 1], "VALID"), [0, 3, 1, 2])
        v14, = self.around(x1, x11)
        return (v7, v14, v15, v3,)

    def around(self, x1, x11):
        return self.part(x1, x11)

    @tf.function(jit_compile=True)
    def part(self, x1, x11):
        v9 = tf.einsum("ijk->k", x1)
        v10 = tf.linalg.einsum("i,j,k->ijk", v9, x11, v9)
        v11 = v10 * v10
        v14 = tf.transpose(v11, perm=[0, 2, 1])
        return (v14,)
