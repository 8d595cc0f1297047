"""An exclusive CumSum gives NaN after an infinity, and loses small sums, in IREE 3.13.0 on the CPU, silently.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import onnx.shape_inference
    from iree import compiler, runtime
    from iree.compiler.extras import onnx_importer
    from iree.compiler.ir import Context
    from onnx import TensorProto, checker, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

node = helper.make_node


def given(nodes, x, constants, shape):
    """The result y of these nodes for the input x, compiled with the default settings; its shape is ``shape``."""
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model, full_check=True)
    imported = onnx_importer.ModelInfo(onnx.shape_inference.infer_shapes(model, data_prop=True))
    module = imported.create_module(Context()).operation
    onnx_importer.NodeImporter.define_function(imported.main_graph, module).import_all()
    options = ["--iree-llvmcpu-target-cpu=host"]
    text = module.get_asm()
    code = compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="onnx", extra_args=options)
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, code))
    return context.modules.module["model"](x).to_host()


def wrong(x, due):
    """Compile the exclusive CumSum, print its result, and tell whether it is not right."""
    y = given([node("CumSum", ["x", "axis"], ["y"], exclusive=1)], x, {"axis": np.int64(0)}, x.shape)
    print(f"exclusive CumSum of {x.tolist()}: due {due}, given {y.tolist()}")
    return not np.array_equal(y, due, equal_nan=True)


def main():
    infinite = wrong(np.array([np.inf, 1], np.float32), [0, np.inf])
    return wrong(np.array([1, 1e8], np.float32), [0, 1]) or infinite


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
