"""Pow of a negative number gives NaN, in IREE 3.13.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
from iree import compiler, runtime
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    power (float[3] x, float[3] y) => (float[3] z) {
        z = Pow (x, y)
    }
""")
imported = onnx_importer.ModelInfo(MODEL)
module = imported.create_module(Context()).operation
onnx_importer.NodeImporter.define_function(imported.main_graph, module).import_all()
options = {"target_backends": ["llvm-cpu"], "input_type": "onnx", "extra_args": ["--iree-llvmcpu-target-cpu=host"]}
code = compiler.compile_str(module.get_asm(), **options)
config = runtime.Config("local-sync")
context = runtime.SystemContext(config=config)
context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, code))
x, y = np.array([-2, -2, 0], np.float32), np.array([2, 3, 0], np.float32)
z = context.modules.module[MODEL.graph.name](x, y).to_host()
print(f"(-2) ** 2, (-2) ** 3 and 0 ** 0 are {(x**y).tolist()}, and IREE gives {z.tolist()}")
sys.exit(not np.allclose(z, x**y))
