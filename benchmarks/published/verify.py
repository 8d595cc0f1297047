"""Check whether a published bug shows in a release: run its trigger there, and compare with the right results.

    python benchmarks/published/verify.py ENTRY.py ... [--python INTERPRETER]

Prints ``wrong``, ``right`` or ``failed`` (with the reason) for each entry, and the release's version. With ``--python``
the trigger runs in that interpreter, which needs the compiler, its framework and NumPy (and for TVM, ``onnx``). This
interpreter makes the models of triggers in ONNX. The exit status is 1 if an entry failed, else 0.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import entry as entries

TOLERANCE = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-4, "float64": 1e-7}
"""Relative and absolute tolerance: far above the rounding errors of a trigger, far below the effect of its bug."""


def main() -> int:
    """Verify the entries, print the results, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("entries", nargs="+", type=Path, metavar="ENTRY.py")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the compiler")
    parser.add_argument("--given", type=Path, help=argparse.SUPPRESS)  # the model, made by another interpreter
    options = parser.parse_args()
    if options.python == sys.executable:
        return max([_report(path, options.given) for path in options.entries])
    in_torch = [path for path in options.entries if not _is_onnx(path)]
    statuses = [_made_here(path, options.python) for path in options.entries if path not in in_torch]
    return max(statuses + ([_elsewhere(options.python, *in_torch)] if in_torch else []))


def _made_here(path: Path, python: str) -> int:
    """Make an entry's ONNX trigger here, and verify it in another interpreter."""
    trigger = entries.load_trigger(path)
    given = trigger.inputs()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.onnx"
        model.write_bytes(trigger.model().SerializeToString())
        for number, array in enumerate(trigger.expected(given)):
            np.save(model.with_name(f"expected{number}.npy"), np.asarray(array))
        for name, array in given.items():
            np.save(model.with_name(f"input {name}.npy"), array)
        return _elsewhere(python, path, "--given", model)


def _elsewhere(python: str, *arguments: Path | str) -> int:
    """Run this file in another interpreter: once for all entries, since compilers start slowly."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([python, __file__, *arguments], env=environment).returncode


def _is_onnx(path: Path) -> bool:
    return "\ndef model(" in path.read_text(encoding="utf-8")


def _report(path: Path, given: Path | None) -> int:
    compiler = path.resolve().parent.name
    try:
        version, problem = _RUN[compiler](path, given)
    except Exception as error:  # noqa: BLE001 - any exception of the release is a result
        print(f"{path.stem}: failed: {type(error).__name__}: {str(error).strip().splitlines()[:1]}")
        return 1
    print(f"{path.stem}: {'wrong' if problem else 'right'} in {version}{': ' + problem if problem else ''}", flush=True)
    return 0


def _inductor(path: Path, given: Path | None) -> tuple[str, str]:
    import torch
    from torch.utils import _pytree

    trigger = entries.load_trigger(path)

    def leaves(result: Any) -> list[Any]:
        return [x for x in _pytree.tree_flatten(result)[0] if isinstance(x, torch.Tensor)]

    def call(compiled: bool) -> list[Any]:
        torch._dynamo.reset()
        torch.manual_seed(0)
        made = trigger.program()
        module, args, kwargs = (*made, {}) if len(made) == 2 else made
        with torch.no_grad():
            return leaves((torch.compile(module) if compiled else module)(*args, **kwargs))

    wanted = [_numpy(x) for x in call(False)]
    if hasattr(trigger, "expected"):
        wanted = [np.asarray(x) for x in trigger.expected(trigger.program()[1])]
    return torch.__version__, _difference(map(_numpy, call(True)), wanted)


def _numpy(tensor: Any) -> np.ndarray:
    import torch

    tensor = tensor.detach()
    return np.asarray((tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy())


def _onnx_trigger(path: Path, given: Path | None) -> tuple[bytes, dict[str, np.ndarray], list[np.ndarray]]:
    if given:
        inputs = {p.stem.removeprefix("input "): np.load(p) for p in given.parent.glob("input *.npy")}
        wanted = sorted(given.parent.glob("expected*.npy"), key=lambda p: int(p.stem.removeprefix("expected")))
        return given.read_bytes(), inputs, [np.load(p) for p in wanted]
    trigger = entries.load_trigger(path)
    inputs = trigger.inputs()
    return trigger.model().SerializeToString(), inputs, list(map(np.asarray, trigger.expected(inputs)))


def _onnxruntime(path: Path, given: Path | None) -> tuple[str, str]:
    import onnxruntime

    model, inputs, wanted = _onnx_trigger(path, given)
    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return onnxruntime.__version__, _difference(session.run(None, inputs), wanted)


def _tvm(path: Path, given: Path | None) -> tuple[str, str]:
    import onnx
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    model, inputs, wanted = _onnx_trigger(path, given)
    proto = onnx.load_from_string(model)
    module = from_onnx(proto, keep_params_in_input=False)
    target = tvm.target.Target("llvm")
    with target:
        executable = tvm.compile(relax.get_pipeline("zero")(module), target)
    machine = relax.VirtualMachine(executable, tvm.cpu())
    runtime = getattr(tvm, "runtime", tvm)
    make = getattr(runtime, "tensor", None) or tvm.nd.array
    weights = {t.name for t in proto.graph.initializer}
    names = [i.name for i in proto.graph.input if i.name not in weights]
    result = machine["main"](*(make(inputs[name], tvm.cpu()) for name in names))
    results = [result] if hasattr(result, "numpy") else list(result)
    return tvm.__version__, _difference((r.numpy() for r in results), wanted)


def _xla(path: Path, given: Path | None) -> tuple[str, str]:
    """Run the trigger's ``tensorflow()``: a TensorFlow function of the model's inputs."""
    import tensorflow as tf

    if given:
        trigger, inputs = entries.load_trigger(path), _onnx_trigger(path, given)[1]
        wanted = _onnx_trigger(path, given)[2]
    else:
        trigger = entries.load_trigger(path)
        inputs = trigger.inputs()
        wanted = list(map(np.asarray, trigger.expected(inputs)))
    compiled = tf.function(trigger.tensorflow(), jit_compile=True)
    result = compiled(**{name: tf.constant(array) for name, array in inputs.items()})
    results = result if isinstance(result, (list, tuple)) else [result]
    return tf.__version__, _difference((r.numpy() for r in results), wanted)


_RUN = {"inductor": _inductor, "onnxruntime": _onnxruntime, "tvm": _tvm, "xla": _xla}


def _difference(results: Any, wanted: list[np.ndarray]) -> str:
    """Return in one line how results are wrong; "" if they are right."""
    found = [np.asarray(r) for r in results]
    if len(found) != len(wanted):
        return f"{len(found)} results, not {len(wanted)}"
    for number, (is_, should) in enumerate(zip(found, wanted, strict=True)):
        if is_.dtype != should.dtype or is_.shape != should.shape:
            return f"result {number} is {is_.dtype}{list(is_.shape)}, not {should.dtype}{list(should.shape)}"
        near = TOLERANCE.get(str(should.dtype), 0.0)
        if near:
            same = np.isclose(is_, should, rtol=near, atol=near, equal_nan=True)
        else:
            same = np.asarray(is_ == should)
        if not same.all():
            return f"result {number} differs at {int((~same).sum())} of {same.size} elements"
    return ""


if __name__ == "__main__":
    sys.exit(main())
