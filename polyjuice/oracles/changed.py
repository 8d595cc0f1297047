"""Judge a program against itself under one changed condition of its compiler (see `polyjuice.execution.changes`)."""

from __future__ import annotations

from dataclasses import replace
from string import Template

from polyjuice.execution import changes
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import compare, operators
from polyjuice.oracles.failures import failed, failure_of

RUNS = Template('''\
def in_a_process(change):
    """Return the output from a new process: a compiler may read its options only once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "output.npy")
        subprocess.run([sys.executable, __file__, change, path], check=True)
        return np.load(path)


if len(sys.argv) > 1:
    change, path = sys.argv[1:]
    options = $options if change else {}
    np.save(path, output($a_with_options))
    sys.exit(0)

a = in_a_process("")
b = in_a_process("$level")''')
"""The statements of a reproducer that run A as it is, and with the verdict's change."""


def differing(oracle: str, case: Case, t: Program, change: str, access: CompilerAccess) -> Verdict | None:
    """The first difference of a program that ran from its run with a change, or the failure of that run; or None."""
    outcome = t.complete(access.execute(t.artifact, case.inputs, level=change))
    label = f"{t.label} {'at level ' if changes.is_level(change) else ''}{change}"
    other = replace(t, label=label, outcome=outcome)
    if outcome.status == "ok":
        verdict = compare(oracle, case, t, other, access)
    else:
        verdict = failure_of(oracle, other, t.label) if failed(other) else None
    if verdict is None or (verdict.mistyped and _alike(t, other, verdict)):
        return None
    signature = " ".join([verdict.signature, change, *operators(t.graph)])
    return replace(verdict, a=t.label, b="", level=change, signature=signature)


def _alike(t: Program, other: Program, verdict: Verdict) -> bool:
    """Whether a result of a wrong type has the same type on both sides: then the change is not the reason."""
    a, b = (side.outcome.outputs[verdict.inputs][verdict.output] for side in (t, other))
    return (a.dtype, a.shape) == (b.dtype, b.shape)
