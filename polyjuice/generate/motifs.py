"""Pairs of operators that compilers fuse, exchange or simplify. They exercise a compiler's pattern matching.

The pairs come from the patterns that the optimizers of ONNX Runtime, Inductor, TVM and XLA state, and from the layers
of common models.
"""

from __future__ import annotations

from collections.abc import Mapping

_REDUCED = "ReduceSum ReduceMean ReduceMax"
_ACTIVATED = "Relu Clip Sigmoid Tanh LeakyRelu PRelu Gelu"

#: For each operator, the operators that such patterns apply to its result, by qualified names.
MOTIFS: Mapping[str, tuple[str, ...]] = {
    producer: tuple(consumers.split())
    for producer, consumers in {
        "Abs": "Log Sqrt Neg Relu ReduceSum Max",
        "Add": f"Add Sub Mul Sum Cast Clip Softmax LayerNormalization Transpose ArgMax MatMul {_ACTIVATED} {_REDUCED}",
        "And": "Not Where Cast Or",
        "ArgMax": "Cast Equal Add",
        "AveragePool": "Conv Add Concat Reshape AveragePool",
        "BatchNormalization": "PRelu Relu Add Conv Mul LeakyRelu",
        "BitwiseNot": "BitwiseNot BitwiseAnd BitwiseOr Add Neg",
        "Cast": "Cast Add Mul Sub Div Transpose Where Reshape MatMul ReduceSum Not Relu",
        "Ceil": "Cast Neg Floor",
        "Clip": "Clip Relu Cast Add Mul Min Max Conv",
        "Concat": f"Concat Split Slice Conv Transpose Reshape MatMul Relu Gather {_REDUCED}",
        "Conv": "BatchNormalization Add Mul Relu Clip Sigmoid LeakyRelu PRelu Concat Conv MaxPool Slice Reshape",
        "ConvTranspose": "BatchNormalization Add Relu",
        "CumSum": "Slice Sub ReduceMax",
        "DequantizeLinear": "QuantizeLinear Transpose Reshape MatMul Conv Relu Add",
        "Div": "Mul Div Add Floor Erf Cast Round Softmax Sub",
        "Dropout": "Add MatMul Relu",
        "Equal": "Not Where Cast Or",
        "Erf": "Add Mul",
        "Exp": "Log ReduceSum Div Add Mul Neg Exp",
        "Expand": f"Add Mul Sub Where Concat Transpose {_REDUCED}",
        "Flatten": "Gemm MatMul Reshape Transpose",
        "Floor": "Cast Sub Neg Mul",
        "Gather": "Gather Concat Add Unsqueeze Reshape MatMul Slice",
        "Gelu": "MatMul Mul",
        "Gemm": f"Add Mul Gemm Reshape Transpose Softmax {_ACTIVATED}",
        "Greater": "Not Where Cast And",
        "GreaterOrEqual": "Not Where Cast And",
        "LayerNormalization": "MatMul Add Mul Transpose",
        "LeakyRelu": "Conv LeakyRelu Mul",
        "Less": "Not Where Cast And",
        "LessOrEqual": "Not Where Cast And",
        "Log": "Exp Neg Add Mul ReduceSum Sub",
        "MatMul": f"Add Mul Div Transpose Softmax Reshape MatMul Cast Split Slice LayerNormalization {_ACTIVATED}",
        "Max": "Min Max Sub Relu Clip Add",
        "MaxPool": "Relu MaxPool Conv Concat Reshape Transpose",
        "Min": "Max Min Relu Clip Add",
        "Mul": f"Add Sub Mul Div Cast Sqrt MatMul Transpose Neg Conv Relu Where {_REDUCED}",
        "Neg": "Neg Add Sub Mul Exp Abs Max Relu ArgMax ArgMin ReduceMax ReduceMin ReduceSum Div",
        "Not": "Not Where And Or Cast",
        "Or": "Not Where Cast And",
        "PRelu": "Conv Add",
        "Pad": f"Conv Pad Pad Slice MaxPool AveragePool Transpose Concat {_REDUCED}",
        "Pow": "Sqrt ReduceMean ReduceSum Mul Add",
        "QuantizeLinear": "DequantizeLinear",
        "Reciprocal": "Mul Reciprocal Sqrt Div",
        "ReduceMax": "Sub ReduceMax Squeeze Neg",
        "ReduceMean": "Sub Squeeze Reshape Mul Add ReduceMean Sqrt",
        "ReduceSum": "Div Sqrt Squeeze ReduceSum Mul Add Reciprocal Reshape",
        "Relu": "Pad Clip Relu Add Conv Mul Max Min MaxPool MatMul Neg Sqrt ReduceSum ArgMax Concat",
        "Reshape": f"Reshape Transpose MatMul Concat Squeeze Add Slice ReduceL1 {_REDUCED}",
        "Round": "Cast Mul Clip",
        "Sigmoid": "Mul Sub Log Add",
        "Sign": "Mul Abs",
        "Slice": f"Pad Slice Concat Conv MatMul Add Transpose Unsqueeze Reshape {_REDUCED}",
        "Softmax": "MatMul Log ArgMax Transpose Mul Dropout ReduceSum",
        "Split": "Concat Add Mul Sigmoid Squeeze Slice Transpose",
        "Sqrt": "Div Reciprocal Mul Add",
        "Squeeze": "Unsqueeze Reshape Add Transpose MatMul",
        "Sub": f"Add Sub Mul Div Neg Abs Pow Exp Relu Cast Sqrt {_REDUCED}",
        "Tanh": "Mul Add Neg",
        "Tile": f"Slice Concat Add {_REDUCED}",
        "Transpose": f"Transpose MatMul Gemm Reshape Softmax Concat Slice Squeeze Conv Cast Add Mul Split {_REDUCED}",
        "Unsqueeze": "Squeeze Expand Concat Add Mul Where Tile Reshape MatMul",
        "Where": f"Where Softmax MatMul Add Mul Cast {_REDUCED}",
        "Xor": "Not Where Xor",
    }.items()
}
