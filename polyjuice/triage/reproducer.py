"""Stand-alone reproducers: one Python file beside the arrays, which needs NumPy and the compiler's framework only.

The models are the very texts that ran. How the compiler is called comes from the compiler file (``REPRO``).
"""

from __future__ import annotations

import re
from string import Template

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact
from polyjuice.ir import dtypes
from polyjuice.oracles import Case, Verdict

_HEAD = Template('''\
"""$title

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys
from pathlib import Path

TIME_LIMIT = $limit  # seconds; a run that takes longer counts as a hang
HERE = Path(__file__).resolve().parent
CHILD = "--child"
SHOWS, FINE, NOT_RUN = 10, 0, 2  # how the child ends, if it is not a crash


def supervise():
    """Run this file in a child process, so that a crash or a hang of the compiler can be seen."""
    try:
        status = subprocess.run([sys.executable, __file__, CHILD], timeout=TIME_LIMIT).returncode
    except subprocess.TimeoutExpired:
        print("the compiler did not finish in", TIME_LIMIT, "s")
        return $on_hang
    return {SHOWS: 1, FINE: 0, NOT_RUN: 2}.get(status, $on_death)


if CHILD not in sys.argv:
    sys.exit(supervise())

try:
    import numpy as np
$imports

    ARRAYS = np.load(HERE / "inputs.npz")
except (ImportError, OSError) as error:
    print("could not run:", error)
    sys.exit(NOT_RUN)
''')

_TORCH = '''
$setup

def tensor(name):
    """An array of inputs.npz; bfloat16 is stored as the uint16 of its bits, under a name that says so."""
    if name + "@bfloat16" in ARRAYS:
        return torch.from_numpy(ARRAYS[name + "@bfloat16"].view(np.int16)).view(torch.bfloat16).to("$device")
    return torch.from_numpy(ARRAYS[name]).to("$device")


def lay_out(value, layout):
    """The same values in another place of memory."""
    back = tuple(reversed(range(value.ndim)))
    if layout == "transposed":
        return value.permute(back).contiguous().permute(back)
    if layout == "channels_last":
        return value.contiguous(memory_format=torch.channels_last if value.ndim == 4 else torch.channels_last_3d)
    if layout == "sliced":
        larger = value.new_zeros([size + 2 for size in value.shape])
        return larger[tuple(slice(1, -1) for _ in value.shape)].copy_(value)
    if layout.startswith("expanded:"):
        return value.narrow(int(layout.split(":")[1]), 0, 1).expand(value.shape)
    return value


def run(model, arguments=(), layouts=(), mode="no_grad", **options):
    """Compile and call a model: its inputs, then those of its arrays that it takes as arguments."""
    arrays = {name.split("@")[0]: tensor(name.split("@")[0]) for name in ARRAYS if name.startswith("w_")}
    inputs = [tensor("input_%d" % i) for i in range($count)]
    with torch.inference_mode(mode == "inference"), torch.set_grad_enabled(mode == "grad"):
        inputs = [lay_out(x, layout) for x, layout in zip(inputs, layouts)] + inputs[len(layouts) :]
        inputs += [arrays[name] for name in arguments]
        if mode == "grad":
            inputs = [x.detach().requires_grad_(x.is_floating_point()) for x in inputs]
        return execute(model(arrays).to("$device").train(mode == "train"), inputs, **options)


def values(output):
    return output.detach().cpu().to(torch.float64 if output.is_floating_point() else output.dtype).numpy()

'''

_TENSORFLOW = '''
$setup

def tensor(name):
    """An array of inputs.npz; bfloat16 is stored as the uint16 of its bits, under a name that says so."""
    if name + "@bfloat16" in ARRAYS:
        return tf.bitcast(tf.constant(ARRAYS[name + "@bfloat16"]), tf.bfloat16)
    return tf.constant(ARRAYS[name])


def run(model, arguments=(), **options):
    """Compile and call a model: its inputs, then those of its arrays that it takes as arguments."""
    arrays = {name.split("@")[0]: tensor(name.split("@")[0]) for name in ARRAYS if name.startswith("w_")}
    inputs = [tensor("input_%d" % i) for i in range($count)] + [arrays[name] for name in arguments]
    return execute(model(arrays), inputs, **options)


def values(output):
    return tf.cast(output, tf.float64 if output.dtype.is_floating else output.dtype).numpy()

'''

_ONNX = '''
$setup

def array(name):
    """An array of inputs.npz; bfloat16 is stored as the uint16 of its bits, under a name that says so."""
    if name + "@bfloat16" in ARRAYS:
        import ml_dtypes

        return ARRAYS[name + "@bfloat16"].view(ml_dtypes.bfloat16)
    return ARRAYS[name]


def run(name, arguments=()):
    """Compile and call a model: its inputs, then the arrays that it takes as arguments."""
    inputs = [array("input_%d" % i) for i in range($count)] + [array(name) for name in arguments]
    return execute((HERE / name).read_bytes(), inputs)


def values(output):
    return np.asarray(output)

'''

_HARNESS = {"torch": _TORCH, "tensorflow": _TENSORFLOW, "onnx": _ONNX}

_MISMATCH = Template('''
def gap(x, y):
    """|x - y|; infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


a = values(run($a)[$output])
b = values(run($b)[$output])
if a.shape != b.shape:
    print("shapes differ:", a.shape, b.shape)
    sys.exit(SHOWS)
difference = gap(a, b)
wrong = difference > ARRAYS["allowed"]
print("$a_label:", a[wrong][:8], "...")
print("$b_label:", b[wrong][:8], "...")
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(SHOWS if wrong.any() else FINE)
''')

_CRASH = Template("""
try:
    run($a)
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(SHOWS)
print("the compiler did not fail")
sys.exit(FINE)
""")


def write(
    compiler: CompilerInfo, device: str, case: Case, verdict: Verdict, a: Artifact, b: Artifact | None, limit_s: float
) -> str:
    """The text of ``repro.py``; ``a`` and ``b`` are the artifacts of the verdict's sides."""
    crash = verdict.kind in ("crash", "hang")
    head = _HEAD.substitute(
        title=f"{compiler.name}: {verdict.message}".replace("\\", "\\\\").replace('"""', "'''"),
        limit=int(limit_s),
        on_hang=1 if verdict.kind == "hang" else 2,
        on_death=1 if crash else 2,
        imports="\n".join(f"    {line}" for line in _imports(compiler)),
    )
    harness = Template(_HARNESS[a.format]).substitute(
        setup=compiler.repro.strip() + "\n", count=len(case.inputs[verdict.inputs]), device=device
    )
    sides = {"A": a} if crash or b is None else {"A": a, "B": b}
    models = "\n".join(_class(name, artifact) for name, artifact in sides.items() if artifact.format != "onnx")
    names = [_call(name, artifact) for name, artifact in sides.items()]
    if crash:
        tail = _CRASH.substitute(a=names[0])
    else:
        tail = _MISMATCH.substitute(
            a=names[0], b=names[-1], output=verdict.output, a_label=verdict.a, b_label=verdict.b
        )
    return head + harness + models + tail


def _imports(compiler: CompilerInfo) -> list[str]:
    """The import lines of the compiler's snippet, which belong where a missing framework is caught."""
    return [line for line in compiler.repro_imports.strip().splitlines() if line]


def lowered_name(side: str) -> str:
    """The file beside the reproducer that holds the ONNX model of side A or B as it was compiled."""
    return f"{side.lower()}.lowered.onnx"


def _call(name: str, artifact: Artifact) -> str:
    """The arguments of ``run`` for one side."""
    model = f'"{lowered_name(name)}"' if artifact.format == "onnx" else name
    further = {"arguments": list(artifact.arguments)} if artifact.arguments else {}
    return ", ".join([model, *(f"{key}={value!r}" for key, value in {**further, **artifact.setup}.items())])


def _class(name: str, artifact: Artifact) -> str:
    """The model's class under another name, without the imports that the file already has."""
    assert isinstance(artifact.source, str)
    body = re.sub(r"^import .*\n", "", artifact.source, flags=re.MULTILINE).strip()
    return body.replace("class Model(", f"class {name}(", 1) + "\n\n"


def stored_arrays(case: Case, verdict: Verdict, artifacts: list[Artifact]) -> dict[str, np.ndarray]:
    """What ``inputs.npz`` holds: inputs, constants, and the allowed differences; bfloat16 as the uint16 of its bits."""
    arrays = {f"input_{i}": array for i, array in enumerate(case.inputs[verdict.inputs])}
    for artifact in artifacts:
        arrays.update(artifact.arrays)
    if verdict.allowed is not None:
        arrays["allowed"] = verdict.allowed
    bfloat16 = dtypes.to_numpy("bfloat16")
    return {
        (f"{name}@bfloat16" if array.dtype == bfloat16 else name): (
            array.view(np.uint16) if array.dtype == bfloat16 else array
        )
        for name, array in arrays.items()
    }
