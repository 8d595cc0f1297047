"""Neg of int32 and int64 is computed in float32, in IREE 3.13.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
from iree import compiler, runtime
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context
from onnx import parser


def negated(x):
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        model ({x.dtype}[2] x) => ({x.dtype}[2] y) {{ y = Neg (x) }}
    """)
    imported = onnx_importer.ModelInfo(model)
    module = imported.create_module(Context()).operation
    onnx_importer.NodeImporter.define_function(imported.main_graph, module).import_all()
    options = ["--iree-llvmcpu-target-cpu=host"]
    text = module.get_asm()
    code = compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="onnx", extra_args=options)
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, code))
    return context.modules.module["model"](x).to_host()


shows = False
for x in np.array([16777217, 3], np.int32), np.array([1800000000000000001, 3], np.int64):
    given = negated(x)
    print(f"{x.dtype}: due {(-x).tolist()}, given {given.tolist()}")
    shows |= (given != -x).any()
sys.exit(bool(shows))
