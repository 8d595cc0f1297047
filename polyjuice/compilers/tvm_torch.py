"""Apache TVM behind its importer of programs that Torch exports."""

from __future__ import annotations

from . import _exported, _torch, _tvm  # before the frameworks: they set what these read then

# isort: split
from collections.abc import Sequence
from typing import Any

import torch
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program

from ._torch import Array, Loaded

INFO: dict[str, Any] = {
    "format": "torch",
    "needs": "apache-tvm>=0.25 and torch>=2.6: pip install 'polyjuice-fuzzer[tvm-torch]'",
    "targets": "tvm",
    "broad": ["tir.VectorizeLoop", "tirx.VectorizeLoop", "s_tir.VectorizeLoop"],
    "levels": ["0", "1", "2", "3"],
    "switched": {},
    "level_names": {"0": "opt_level 0", "1": "opt_level 1", "2": "opt_level 2", "3": "opt_level 3"},
    "traced": 1,
    "lacks": ["settings", "memory"],
    # TVM computes bfloat16 in float32 within a kernel, and drops the cast: https://github.com/apache/tvm/pull/5601
    "excess_precision": ["bfloat16"],
    # Torch leaves open which of equal elements comes first, and compilers sort otherwise.
    "edge_policies": {
        "TopK": "https://docs.pytorch.org/docs/stable/generated/torch.topk.html",
        "aten.sort": "https://docs.pytorch.org/docs/stable/generated/torch.sort.html",
        "aten.argsort": "https://docs.pytorch.org/docs/stable/generated/torch.argsort.html",
    },
    "repro_imports": """
import torch
import torch.nn.functional as F
import tvm
import tvm_ffi
from tvm.relax.frontend.torch import from_exported_program
""",
    "repro": """
def prepare(model, inputs, level="3", without=(), first=()):
    if not isinstance(model, torch.nn.Module):  # the exporter takes no functions
        model = type("Model", (torch.nn.Module,), {"forward": staticmethod(model)})()
    with torch.no_grad():
        program = torch.export.export(model, tuple(inputs))
    module = from_exported_program(program)
    mode = "compiled" if "bytecode" in without else "bytecode"
    with tvm.transform.PassContext(opt_level=int(level), disabled_pass=list(without)):
        for name in first:
            module = getattr(tvm.relax.transform, name)()(module)
        module = tvm.relax.get_pipeline("zero")(module)
        executable = tvm.relax.build(module, tvm.target.Target("llvm"), exec_mode=mode)
    machine = tvm.relax.VirtualMachine(executable, tvm.cpu())

    def call():
        aligned = [x.clone(memory_format=torch.contiguous_format) for x in inputs]  # TVM takes no other memory
        outputs = machine["main"](*map(tvm.runtime.from_dlpack, aligned))
        outputs = outputs if isinstance(outputs, tvm_ffi.Array) else [outputs]
        return [torch.tensor(x) if isinstance(x, int) else torch.from_dlpack(x) for x in outputs]

    return call
""",
}

version, check = _tvm.version, _tvm.check
load, eager = _exported.load, _torch.eager
run, knobs, anytime, trace = _tvm.run, _tvm.knobs, _tvm.anytime, _tvm.trace


def start(options: dict[str, Any]) -> None:
    """Prepare both frameworks."""
    _exported.start(options)
    _tvm.start(options)


def compile(program: Loaded, inputs: Sequence[Array]) -> relax.VirtualMachine:
    """Capture, import, and compile.

    Raises NotImplementedError where Torch or TVM says that it lacks an operator or an element type.
    """
    captured = _exported.captured(program, inputs)
    called = (node for node in captured.graph.nodes if node.op == "call_function")
    _tvm.imported[:] = [f"importer {node.target}" for node in called]
    with _exported.telling(_tvm.UNSUPPORTED), torch.no_grad():
        module = from_exported_program(captured)
    return _tvm.compile(module, inputs)
