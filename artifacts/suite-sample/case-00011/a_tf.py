import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c3 = tf.identity(arrays["w_c44ad0951d605990_5x3_int64"])

    def __call__(self, x0, x1, x3):
        v4 = x1 * tf.reshape(tf.math.unsorted_segment_prod(tf.reshape(x3, [-1, 1]), tf.reshape(tf.reduce_sum(tf.math.floormod(self.w_c3, [4, 7, 33]) * [231, 33, 1], axis=-1), [-1]), 924), [4, 7, 33])
        v5 = tf.math.tan(x1)
        v8 = tf.math.maximum(tf.math.maximum(x0, x0), x0)
        v16 = tf.where(tf.abs(x3) > 0.5, x3, tf.zeros_like(x3))
        v15, = self.around(v8)
        return (v4, v5, v15, v16,)

    def around(self, v8):
        return self.part(v8)

    def part(self, v8):
        v9 = tf.subtract(v8, v8)
        v11 = tf.divide(v9, 1.4142135381698608)
        v12 = tf.math.erf(v11)
        c12 = tf.constant(1.0, dtype=tf.float32, shape=())
        v14 = tf.raw_ops.AddV2(x=v12, y=tf.broadcast_to(c12, (33, 33)))
        v17 = tf.math.multiply(v9, v14)
        v15 = tf.math.multiply(v17, 0.5)
        return (v15,)
