"""Operators that share their place in the patterns of compilers, for the field ``followers`` of entries."""

REDUCED = "ReduceSum ReduceMean ReduceMax"
ACTIVATED = "Relu Clip Sigmoid Tanh LeakyRelu PRelu Gelu"
