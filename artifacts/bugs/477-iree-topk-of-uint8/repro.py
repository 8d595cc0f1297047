"""TopK of uint8 compares signed numbers, in IREE 3.13.0 on the CPU.

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
    largest (uint8[4] x) => (uint8[2] values, int64[2] indices)
    <int64[1] k = {2}> {
        values, indices = TopK (x, k)
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
x = np.array([200, 100, 255, 7], np.uint8)
values, indices = (y.to_host() for y in context.modules.module["largest"](x))
given = values.view(np.uint8).tolist(), indices.tolist()
print(f"x: {x.tolist()}, due: ([255, 200], [2, 0]), given: {given}")
sys.exit(given != ([255, 200], [2, 0]))
