"""The names of ONNX's operators that other code applies or looks for, such as the one that makes broadcasting explicit.

All else that the project knows of an operator is in its entry.
"""

ADD, CAST, CONCAT, EXPAND, IDENTITY, MATMUL, NEG = "Add", "Cast", "Concat", "Expand", "Identity", "MatMul", "Neg"
RESHAPE, ROUND, SUB, TRANSPOSE, WHERE = "Reshape", "Round", "Sub", "Transpose", "Where"
