"""Mod of uint8 takes the remainder of signed numbers, in IREE 3.13.0 on the CPU.

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
    remainder (uint8[3] x, uint8[3] y) => (uint8[3] z) {
        z = Mod (x, y)
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
x, y = np.array([200, 100, 255], np.uint8), np.array([100, 200, 3], np.uint8)
given = context.modules.module["remainder"](x, y).to_host().view(np.uint8).tolist()
print(f"{x.tolist()} % {y.tolist()}, due: {(x % y).tolist()}, given: {given}")
sys.exit(given != (x % y).tolist())
