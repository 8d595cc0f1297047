"""MaxPool of int8 with uneven pads takes them for 0, in IREE 3.13.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
from iree import compiler, runtime
from iree.compiler.extras import onnx_importer
from iree.compiler.ir import Context
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    pool (int8[1, 1, 4] x) => (int8[1, 1, 4] y) {
        y = MaxPool <kernel_shape = [2], pads = [0, 1]> (x)
    }
""")
checker.check_model(MODEL, full_check=True)
imported = onnx_importer.ModelInfo(MODEL)
module = imported.create_module(Context()).operation
onnx_importer.NodeImporter.define_function(imported.main_graph, module).import_all()
options = {"target_backends": ["llvm-cpu"], "input_type": "onnx", "extra_args": ["--iree-llvmcpu-target-cpu=host"]}
code = compiler.compile_str(module.get_asm(), **options)
config = runtime.Config("local-sync")
context = runtime.SystemContext(config=config)
context.add_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, code))
x = np.array([[[-5, -3, -2, -9]]], np.int8)
given = context.modules.module["pool"](x).to_host().ravel().tolist()
print(f"x: {x.ravel().tolist()}, due: [-3, -2, -2, -9], given: {given}")
sys.exit(given != [-3, -2, -2, -9])
