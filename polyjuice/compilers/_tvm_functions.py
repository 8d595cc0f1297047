"""Teach TVM's ONNX importer local functions, which it refuses: each becomes a function of the module, with its calls.

HirGen writes a part of a graph as a function of TVM's intermediate representation (HirGen, section 3.2). Reproducers
hold the text of this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import tvm.relax.frontend.onnx
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx as import_without_functions
from tvm.relax.frontend.onnx import onnx_frontend


def import_with_functions(model: onnx.ModelProto, **options: Any) -> tvm.IRModule:
    """The model as a module, whose functions are private functions of it."""
    known, inner = onnx_frontend._get_convert_map, {}
    operators = known()

    def importer(function: onnx.FunctionProto) -> Any:
        def call(cls: Any, builder: relax.BlockBuilder, inputs: Any, attributes: Any, parameters: Any) -> relax.Expr:
            types = [builder.normalize(x).ty for x in inputs]
            kinds = [onnx.helper.np_dtype_to_tensor_dtype(np.dtype(str(type.dtype))) for type in types]
            shapes = [[int(size) for size in type.shape] for type in types]
            values = list(map(onnx.helper.make_tensor_value_info, function.input, kinds, shapes))
            results = [onnx.ValueInfoProto(name=name) for name in function.output]
            graph = onnx.helper.make_graph(function.node, function.name, values, results)
            body = import_without_functions(onnx.helper.make_model(graph, opset_imports=function.opset_import))
            inner.update({name: other for name, other in body.functions_items() if name.name_hint != "main"})
            made = builder.add_func(body["main"].without_attr("global_symbol"), function.name)
            return builder.emit(relax.Call(made, inputs))

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
