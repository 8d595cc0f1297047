"""The parts of a reproducer's text: how it starts, the harness of each format, and what it compares, by oracle."""

from __future__ import annotations

from string import Template

HEAD = Template('''\
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

$setup
''')

TORCH = Template('''
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

$gradients
def program(model, arguments=(), layouts=(), mode="no_grad"$gradient_option, **options):
    """A function that calls the compiled model on its inputs, then those of its arrays that it takes as arguments."""
    arrays = {name.split("@")[0]: tensor(name.split("@")[0]) for name in ARRAYS if name.startswith("w_")}
    inputs = [tensor("input_%d" % i) for i in range($count)]
    inputs = [lay_out(x, layout) for x, layout in zip(inputs, layouts)] + inputs[len(layouts) :]
    inputs += [arrays[name] for name in arguments]
    if mode == "grad":
        inputs = [x.detach().requires_grad_(x.is_floating_point()) for x in inputs]
    call = prepare(model(arrays).to("$device").train(mode == "train"), inputs, **options)

    def run():
        with torch.inference_mode(mode == "inference"), torch.set_grad_enabled(mode == "grad"):
            return $results

    return run


def values(output):
    return output.detach().cpu().to(torch.float64 if output.is_floating_point() else output.dtype).numpy()
$types
''')

GRADIENTS = '''
def gradients(outputs, inputs):
    """Those of a sum of all outputs' elements, with weights that differ, by the floating inputs."""
    leaves = [x for x in inputs if x.requires_grad]
    reached = [y for y in outputs if y.requires_grad]
    weights = [torch.cos(torch.arange(y.numel(), device=y.device)).reshape(y.shape).to(y.dtype) for y in reached]
    found = torch.autograd.grad(reached, leaves, weights, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, found)]

'''

TENSORFLOW = Template('''
def tensor(name):
    """An array of inputs.npz; bfloat16 is stored as the uint16 of its bits, under a name that says so."""
    if name + "@bfloat16" in ARRAYS:
        return tf.bitcast(tf.constant(ARRAYS[name + "@bfloat16"]), tf.bfloat16)
    return tf.constant(ARRAYS[name])


def program(model, arguments=(), **options):
    """A function that calls the compiled model on its inputs, then those of its arrays that it takes as arguments."""
    arrays = {name.split("@")[0]: tensor(name.split("@")[0]) for name in ARRAYS if name.startswith("w_")}
    inputs = [tensor("input_%d" % i) for i in range($count)] + [arrays[name] for name in arguments]
    return prepare(model(arrays), inputs, **options)


def values(output):
    return tf.cast(output, tf.float64 if output.dtype.is_floating else output.dtype).numpy()
$types
''')

ONNX = Template('''
def array(name):
    """An array of inputs.npz; bfloat16 is stored as the uint16 of its bits, under a name that says so."""
    if name + "@bfloat16" in ARRAYS:
        import ml_dtypes

        return ARRAYS[name + "@bfloat16"].view(ml_dtypes.bfloat16)
    return ARRAYS[name]


def program(name, arguments=(), **options):
    """A function that calls the compiled model on its inputs, then the arrays that it takes as arguments."""
    inputs = [array("input_%d" % i) for i in range($count)] + [array(name) for name in arguments]
    return prepare((HERE / name).read_bytes(), inputs, **options)


def values(output):
    return np.asarray(output)
$types
''')

HARNESS = {"torch": TORCH, "tensorflow": TENSORFLOW, "onnx": ONNX}

TYPES = {
    name: f"""

def element_type(output):
    return {expression}
"""
    for name, expression in {
        "torch": 'str(output.dtype).removeprefix("torch.")',
        "tensorflow": "output.dtype.name",
        "onnx": "np.asarray(output).dtype.name",
    }.items()
}

MISTYPED = Template("""
output = program($a)()[$output]
made = element_type(output), list(output.shape)
print("$a_label: output $output is", *made, "and should be $dtype $shape")
sys.exit(FINE if made == ("$dtype", $shape) else SHOWS)
""")

_COMPARE = '''
def gap(x, y):
    """|x - y|; infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


def result(*model, **options):
    """One output of the second run: in some compilers the first writes over what the second needs."""
    run = program(*model, **options)
    run()
    return values(run()[$output])

'''

_JUDGE = """
if a.shape != b.shape:
    print("shapes differ:", a.shape, b.shape)
    sys.exit(SHOWS)
difference = gap(a, b)
wrong = difference > ARRAYS["allowed"]
print("$a_label:", a[wrong][:8], "...")
print("$b_label:", b[wrong][:8], "...")
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(SHOWS if wrong.any() else FINE)
"""

MISMATCH = Template(
    _COMPARE
    + """
a = result($a)
b = result($b)"""
    + _JUDGE
)

DIFFERENTIAL = Template(
    _COMPARE
    + """
a = result($a)
b = ARRAYS["expected"]"""
    + _JUDGE
)

OPTLEVEL = Template(
    _COMPARE
    + '''
def at_level(level):
    """The output at an optimization level, out of a process of its own: a compiler may read the level only once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "output.npy")
        subprocess.run([sys.executable, __file__, CHILD, level, path], check=True)
        return np.load(path)


if len(sys.argv) > 2:
    level, path = sys.argv[2:]
    np.save(path, result($a, **({"level": level} if level else {})))
    sys.exit(FINE)
a = at_level("")
b = at_level("$level")'''
    + _JUDGE
)

DETERMINISM = Template(
    _COMPARE
    + """
a = result($a)
for time in range(20):
    b = result($a)
    if a.shape != b.shape or (gap(a, b) > ARRAYS["allowed"]).any():
        break"""
    + _JUDGE
)

SLOW = Template('''
import gc
import time


def times(run):
    """How long some runs take, in seconds."""
    run()
    gc.collect()
    measured = []
    while len(measured) < 5 or (sum(measured) < 0.1 and len(measured) < 1000):
        begin = time.perf_counter()
        run()
        measured.append(time.perf_counter() - begin)
    return measured


a, b = program($a), program($b)
ratios = []
for number in range(5):
    slow, fast = np.quantile(times(a), 0.25), np.quantile(times(b), 0.75)
    print("$a_label: %.0f us, $b_label: %.0f us" % (1e6 * slow, 1e6 * fast))
    ratios.append(slow / fast)
print("$a_label takes %.1f times as long" % np.median(ratios))
sys.exit(SHOWS if min(ratios) > 2 else FINE)
''')

MEMORY = Template('''
def peak(run):
    """By how many bytes the resident set grows in a run (Linux)."""
    run()
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    run()
    return resident("VmHWM") - before


def resident(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))


a, b = program($a), program($b)
large, small = peak(a), peak(b)
print("$a_label: %.1f MiB, $b_label: %.1f MiB" % (large / 2**20, small / 2**20))
sys.exit(SHOWS if large > 4 * small and large - small > 2**24 else FINE)
''')

CRASH = Template("""
try:
    program($a)()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(SHOWS)
print("the compiler did not fail")
sys.exit(FINE)
""")

DEATH = Template("""
try:
    program($a)()
except Exception as error:
    print("the compiler raised an error, as it should:", type(error).__name__, str(error)[:2000])
print("the process is alive")
sys.exit(FINE)
""")
