"""Apache TVM behind its ONNX importer."""

from __future__ import annotations

from . import _tvm, _tvm_functions  # noqa: F401  before TVM itself: they set what it reads, and its importer

# isort: split
from typing import Any

import onnx
import tvm
import tvm.relax.frontend.onnx

INFO: dict[str, Any] = {
    "format": "onnx",
    "needs": "apache-tvm>=0.25 and onnx: pip install 'polyjuice-fuzzer[tvm]'",
    "broad": ["tir.VectorizeLoop", "tirx.VectorizeLoop", "s_tir.VectorizeLoop"],
    "levels": ["0", "1", "2", "3"],
    "switched": {},
    "level_names": {"0": "opt_level 0", "1": "opt_level 1", "2": "opt_level 2", "3": "opt_level 3"},
    "nodes": 20,
    "traced": 1,
    "lacks": ["symbolic sizes", "com.microsoft"],
    "repro_functions": "_tvm_functions.py",
    # TVM computes bfloat16 in float32 within a kernel, and drops the cast: https://github.com/apache/tvm/pull/5601
    "excess_precision": ["bfloat16"],
    "repro_imports": """
import onnx
import tvm
import tvm.relax.frontend.onnx
import tvm_ffi
""",
    "repro": """
def prepare(model, inputs, level="3", without=(), first=()):
    module = tvm.relax.frontend.onnx.from_onnx(onnx.load_from_string(model), keep_params_in_input=False)
    mode = "compiled" if "bytecode" in without else "bytecode"
    with tvm.transform.PassContext(opt_level=int(level), disabled_pass=list(without)):
        for name in first:
            module = getattr(tvm.relax.transform, name)()(module)
        module = tvm.relax.get_pipeline("zero")(module)
        executable = tvm.relax.build(module, tvm.target.Target("llvm"), exec_mode=mode)
    machine = tvm.relax.VirtualMachine(executable, tvm.cpu())

    def call():
        outputs = machine["main"](*[tvm.runtime.tensor(x) for x in inputs])
        outputs = outputs if isinstance(outputs, tvm_ffi.Array) else [outputs]
        return [np.array(x, np.int64) if isinstance(x, (tvm_ffi.Shape, int)) else x.numpy() for x in outputs]

    return call
""",
}

version, check, start = _tvm.version, _tvm.check, _tvm.start
compile, run, trace = _tvm.compile, _tvm.run, _tvm.trace
knobs, anytime = _tvm.knobs, _tvm.anytime


def load(artifact: dict[str, Any]) -> tvm.IRModule:
    """The model as a Relax module with constant weights. Any error here means that the importer does not support the
    model.
    """
    model = onnx.load_from_string(artifact["source"])
    nodes = [*model.graph.node, *(node for function in model.functions for node in function.node)]
    _tvm.imported[:] = [f"importer {node.op_type}" for node in nodes]
    return tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
