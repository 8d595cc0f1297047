"""Teach TVM's ONNX importer local functions, which it refuses: each becomes a function of the module, with its calls.

A constant that is passed becomes a constant of the function, since the importer takes some operands only so. HirGen
writes a part of a graph as a function of TVM's intermediate representation (HirGen, section 3.2). Reproducers hold the
text of this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import tvm.relax.frontend.onnx
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx as import_without_functions
from tvm.relax.frontend.onnx import onnx_frontend


def _array(constant: Any) -> np.ndarray:
    """The values of a constant, which older releases have under another name."""
    values = constant.value if hasattr(constant, "value") else constant.data
    return np.asarray(values.numpy())


def import_with_functions(model: onnx.ModelProto, **options: Any) -> tvm.IRModule:
    """The model as a module, whose functions are private functions of it."""
    known, inner = onnx_frontend._get_convert_map, {}
    operators = known()

    def importer(function: onnx.FunctionProto) -> Any:
        def call(cls: Any, builder: relax.BlockBuilder, inputs: Any, attributes: Any, parameters: Any) -> relax.Expr:
            names = dict(zip(function.input, inputs))
            constants = {name: x for name, x in names.items() if isinstance(x, type(relax.const(0)))}
            passed = {name: builder.normalize(x) for name, x in names.items() if name not in constants}
            kinds = [onnx.helper.np_dtype_to_tensor_dtype(np.dtype(str(x.ty.dtype))) for x in passed.values()]
            shapes = [[int(size) for size in x.ty.shape] for x in passed.values()]
            values = list(map(onnx.helper.make_tensor_value_info, passed, kinds, shapes))
            arrays = [onnx.numpy_helper.from_array(_array(x), name) for name, x in constants.items()]
            results = [onnx.ValueInfoProto(name=name) for name in function.output]
            graph = onnx.helper.make_graph(function.node, function.name, values, results, arrays)
            body = import_without_functions(onnx.helper.make_model(graph, opset_imports=function.opset_import))
            inner.update({name: other for name, other in body.functions_items() if name.name_hint != "main"})
            made = builder.add_func(body["main"].without_attr("global_symbol"), function.name)
            return builder.emit(relax.Call(made, list(passed.values())))

        return type(function.name, (onnx_frontend.OnnxOpConverter,), {"_impl_v1": classmethod(call)})

    operators.update({function.name: importer(function) for function in model.functions})
    onnx_frontend._get_convert_map = lambda: operators
    try:
        module = import_without_functions(model, **options)
    finally:
        onnx_frontend._get_convert_map = known
    for name, function in inner.items():
        module.update_func(name, function)
    return module


tvm.relax.frontend.onnx.from_onnx = import_with_functions
