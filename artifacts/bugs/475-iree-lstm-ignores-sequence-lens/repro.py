"""LSTM ignores its input sequence_lens, in IREE 3.13.0 on the CPU.

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
    lstm (float[2, 1, 1] x, int32[1] lens) => (float[2, 1, 1, 1] y)
    <float[1, 4, 1] w = {1, 1, 1, 1}, float[1, 4, 1] r = {0, 0, 0, 0}, float[1, 8] b = {0, 0, 0, 0, 0, 0, 0, 0}> {
        y = LSTM <hidden_size = 1> (x, w, r, b, lens)
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
x, lens = np.array([1, 1], np.float32).reshape(2, 1, 1), np.array([1], np.int32)
given = context.modules.module["lstm"](x, lens).to_host().ravel()
print(f"a sequence of length 1: due 0.3696 and 0, given {given.round(4).tolist()}")
sys.exit(bool(given[1] != 0))
