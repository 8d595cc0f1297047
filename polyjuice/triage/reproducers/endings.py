"""The end of a reproducer for each kind of fault: what it does with its programs, and its exit status."""

from __future__ import annotations

from string import Template

OUTPUT = Template('''\
def output(run):
    """Return the result of the second run: in some compilers, the first run overwrites memory that the second reads."""
    run()
    return $value''')

GAP = Template('''\
def gap(x, y):
    """Return |x - y|: infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype($wide) - y.astype($wide))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))''')

GAP_OF_ZEROS = '''\
def gap(x, y):
    """Return 1 where both are zeros of different signs, else 0."""
    return np.where((x == 0) & (y == 0) & (np.signbit(x) != np.signbit(y)), 1.0, 0.0)'''

JUDGE = Template("""\
wrong = $wrong
$shown
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
${further}sys.exit(1 if wrong.any() else 0)""")

PAIR = Template("""\
a = output($a)
b = output($b)""")

ALONE = Template("a = output($a)")

AT_LEVELS = Template('''\
def at_level(level):
    """Return the output at an optimization level, from a new process: a compiler may read the level only once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "output.npy")
        subprocess.run([sys.executable, __file__, level, path], check=True)
        return np.load(path)


if len(sys.argv) > 1:
    level, path = sys.argv[1:]
    options = {"level": level} if level else {}
    np.save(path, output($a))
    sys.exit(0)

a = at_level("")
b = at_level("$level")''')

AGAIN = Template("""\
a = output($a)
for _ in range(20):
    b = output($a)
    if (gap(a, b) > allowed).any():
        break""")

MISTYPED = Template("""\
output = $a()[$output]
made = $type, list(output.shape)
print("output $output is", *made, "and should be $dtype $shape")
${further}sys.exit(0 if made == ("$dtype", $shape) else 1)""")

UNCOMPILED = '''\
def uncompiled(model, inputs, updates=()):
    """Return a function that runs a model without the compiler, as `prepare` does with it."""

    def call():
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        outputs = [*model(*fresh)]
        for place, number in updates:
            outputs.insert(place, fresh[number])
        return outputs

    return call'''

SHARES = Template('''\
def places(x):
    """Return the addresses of all bytes of a tensor's elements."""
    found, width = np.array([x.data_ptr()]), x.element_size()
    for count, step in [*((n, s * width) for n, s in zip(x.shape, x.stride())), (width, 1)]:
        found = (found[:, None] + np.arange(count) * step).ravel()
    return {*found.tolist()}


def shares(outputs):
    """Return whether $what. The arguments follow the outputs."""
    return any(not places(outputs[$output]).isdisjoint(places(x)) for x in $others)''')

IS = Template('''\
def form(x):
    """Return what two tensors have in common if they are the same elements in the same order."""
    strides = [stride for size, stride in zip(x.shape, x.stride()) if size > 1]
    return x.data_ptr(), x.dtype, x.shape, strides, x.is_conj(), x.is_neg()


def shares(outputs):
    """Return whether $what. The arguments follow the outputs."""
    return form(outputs[$output]) == form($other)''')

ALIAS = Template("""\
model = $model
compiled = shares($a())
plain = shares($plain())
print("$what: compiled %s, uncompiled %s" % (compiled, plain))
${further}sys.exit(1 if compiled != plain else 0)""")

WRITES = Template('''\
def bytes_of(x):
    """Return all of a tensor's memory."""
    return torch.empty(0, dtype=torch.uint8, device=x.device).set_(x.untyped_storage())


model = $model
compiled = bytes_of($a()[$other])
plain = bytes_of($plain()[$other])
wrong = compiled != plain
print("bytes of $what that differ from those after the uncompiled run:", int(wrong.sum()), "of", wrong.numel())
sys.exit(1 if wrong.any() else 0)''')

TIMES = Template('''\
def times(run):
    """Return the times of some runs, in seconds."""
    run()
    gc.collect()
    measured = []
    while len(measured) < 5 or (sum(measured) < 0.1 and len(measured) < 1000):
        begin = time.perf_counter()
        run()
        measured.append(time.perf_counter() - begin)
    return measured


a, b = $a, $b
ratios = []
for _ in range(5):
    slow, fast = np.quantile(times(a), 0.25), np.quantile(times(b), 0.75)
    print("A: %.0f us, B: %.0f us" % (1e6 * slow, 1e6 * fast))
    ratios.append(slow / fast)
print("A takes %.1f times as long" % np.median(ratios))
sys.exit(1 if min(ratios) > 2 else 0)''')

PEAKS = Template('''\
def peak(run):
    """Return the bytes by which the resident set grows in a run (Linux)."""
    run()
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    run()
    return resident("VmHWM") - before


def resident(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))


a, b = $a, $b
large, small = peak(a), peak(b)
print("A: %.1f MiB, B: %.1f MiB" % (large / 2**20, small / 2**20))
sys.exit(1 if large > 4 * small and large - small > 2**24 else 0)''')

SUPERVISED = Template("""\
if "--child" not in sys.argv:  # in a new process, because the compiler may end it, or never return
    try:
        status = subprocess.run([sys.executable, __file__, "--child"], timeout=$limit).returncode
    except subprocess.TimeoutExpired:
        print("the compiler did not finish in $limit s")
        sys.exit($on_hang)
    sys.exit(status if status in (0, 2) else 1)""")

SIDE_BY_SIDE = "side by side:"
"""The heading of the table of backends in a reproducer's output."""

BACKENDS = Template('''\
def side_by_side(show):
    """Print `show(outputs)` for each backend of torch.compile, from eager to Inductor."""
    print("$heading")
    for name in $backends:
        level, _, setting = name.partition(" with ")
        if setting and not hasattr(torch._inductor.config, setting):  # an older release
            continue
        try:
            with torch._inductor.config.patch({setting: True} if setting else {}):
                if level == "eager":
                    run = $plain
                else:
                    run = $compiled
                run()
                text = show(run())
        except Exception as error:
            text = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
        print(f"  {name + ':':28}", text, flush=True)''')

SAME = Template('''\
def told(outputs):
    """Return the wrong elements as text, and whether PyTorch's own accuracy check accepts them."""
    reference = torch.as_tensor(np.ascontiguousarray(expected)).to(eager.device)
    accepted = torch._dynamo.utils.same(eager, outputs[$output], fp64_ref=reference, equal_nan=True)
    return f"{$value$part}, torch._dynamo.utils.same: {accepted}"''')

CRASH = Template("""\
${before}try:
    $a()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
${further}    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)""")

DEATH = Template("""\
try:
    $a()
except Exception as error:
    print("the compiler raised an error, as it should:", type(error).__name__, str(error)[:2000])
print("the process is alive")
sys.exit(0)""")
