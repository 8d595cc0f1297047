"""The names of operators that other code applies or looks for, such as the one that makes broadcasting explicit.

All else that the project knows of an operator is in its entry.
"""

ADD, CAST, CONCAT, EXPAND, IDENTITY, MATMUL, NEG = "Add", "Cast", "Concat", "Expand", "Identity", "MatMul", "Neg"
RESHAPE, ROUND, SUB, TRANSPOSE, WHERE = "Reshape", "Round", "Sub", "Transpose", "Where"

AS_STRIDED, COMPLEX, VIEW_AS_COMPLEX = "as_strided", "complex", "view_as_complex"
"""Operators of ATen, without their domain."""
