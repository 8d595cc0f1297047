"""Cast from float8 makes 0.0078125 of 0, and finite numbers of NaN and infinity, in TVM 0.27.0.post1 with LLVM, silently.

Of the 256 values of float8e4m3fn 18 are wrong, of float8e5m2 16: zeros, denormal numbers, infinities and NaN. So is the cast
to float8 of what is denormal there, or does not fit: 1e6 becomes -15. `DTypeConversion` in dtype_conversion.cc shifts the
bits of exponent and mantissa for each number alike.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import ml_dtypes
    import numpy as np
    import tvm
    import tvm.relax.frontend.onnx
    import tvm_ffi
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def cast(x, given, to, dtype):
    """An array cast from one of ONNX's element types to another, by TVM."""
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=to)],
        "cast",
        [helper.make_tensor_value_info("x", given, x.shape)],
        [helper.make_tensor_value_info("y", to, x.shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
    executable = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    result = tvm.relax.VirtualMachine(executable, tvm.cpu())["main"](tvm.runtime.tensor(x))
    return (result[0] if isinstance(result, tvm_ffi.Array) else result).numpy().astype(dtype)


wrong = False
for name, dtype in {"FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn, "FLOAT8E5M2": ml_dtypes.float8_e5m2}.items():
    code = getattr(TensorProto, name)
    x = np.array([0, 1, 2, 3, 56, 60], np.uint8).view(dtype)
    wide = cast(x, code, TensorProto.FLOAT, np.float32)
    print(f"from {name}: due {x.astype(np.float32)}, given {wide}")
    y = np.array([0, 1, 2.0**-9, 1e6], np.float32)
    print(f"to {name} of {y}: {cast(y, TensorProto.FLOAT, code, np.float32)}")
    wrong |= not np.array_equal(wide, x.astype(np.float32))
sys.exit(int(wrong))
