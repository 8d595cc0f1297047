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

MISTYPED = Template("""\
output = $a()[$output]
made = $type, list(output.shape)
print("output $output is", *made, "and should be $dtype $shape")
${further}sys.exit(0 if made == ("$dtype", $shape) else 1)""")

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
