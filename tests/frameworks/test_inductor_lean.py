"""The work that Polyjuice saves Inductor changes neither strides, nor generated code, nor results."""

import itertools
import shutil
from pathlib import Path

import pytest

from polyjuice import compilers
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Preparation, Skip
from polyjuice.campaign.schedule import Clock
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Worker
from polyjuice.inputs import usual_profiles
from polyjuice.packs import formed
from polyjuice.session import CompilerSession
from polyjuice.support import Support
from tests.support.libraries import needs

needs("torch")

NOT_SPARED = "SETTINGS = ()\n\n\ndef spare():\n    pass\n"
KEEPING = """
from pathlib import Path


def _kept(build):
    def keeping(kernels, path):
        Path({folder!r}, path.name).write_text("\\n".join(kernel.source for kernel in kernels))
        return build(kernels, path)
    return keeping


_build = _kept(_build)
"""


def test_the_stride_of_an_affine_index_is_what_inductor_finds():
    sizevars = pytest.importorskip("torch._inductor.sizevars")
    import sympy

    from polyjuice.compilers._inductor_lean import coefficient

    plain = getattr(sizevars.stride_at_vec_range, "polyjuice_plain", sizevars.stride_at_vec_range)
    x, y, z = (sympy.Symbol(f"d{n}", integer=True, nonnegative=True) for n in range(3))
    indices = [a * x + b * y + c for a, b, c in itertools.product((-3, 0, 1, 8), (-1, 0, 4, 64), (-5, 0, 7))]
    for index, var, length in itertools.product(map(sympy.sympify, indices), (x, z), (8, 16, None)):
        assert coefficient(index, var) == plain(index, var, length)


def test_what_is_no_affine_index_is_left_to_inductor():
    functions = pytest.importorskip("torch.utils._sympy.functions")
    import sympy

    from polyjuice.compilers._inductor_lean import coefficient

    x, size = (sympy.Symbol(name, integer=True, nonnegative=True) for name in ("d0", "s0"))
    for index in (x * x, size * x, functions.FloorDiv(x, 4), x + functions.ModularIndexing(x, 1, 4), x / 2, x > 1):
        assert coefficient(index, x) is None
    assert coefficient(x, x + 1) is None


def copied(folder, spared):
    """A copy of Inductor's compiler file elsewhere, which keeps the units' source."""
    place = folder / f"spared_{spared}"
    shutil.copytree(Path(find("inductor").path).parent, place)
    unit = place / "_inductor_unit.py"
    kept = place / "units"
    kept.mkdir()
    unit.write_text(unit.read_text() + KEEPING.format(folder=str(kept)))
    if not spared:
        (place / "_inductor_lean.py").write_text(NOT_SPARED)
    return compilers.read("inductor", place / "inductor.py"), kept


@pytest.mark.long
def test_packs_have_the_same_code_and_results(tmp_path):
    info = find("inductor")
    config = Config(
        compiler="inductor",
        seeds=("small",),
        seed=3,
        nodes=info.nodes,
        extract="original",
        profiles=usual_profiles(info),
    )
    cases = []
    with CompilerSession(config.conditions, info) as session:
        support = Support(session.compiler, session.worker(), config.opset)
        preparation = Preparation(config, tmp_path, load(), info, support, Clock())
        for index in range(60):
            try:
                cases.append(preparation.case(index, 0))
            except Skip:
                continue
    packs = [(pack.program.artifact, pack.case.inputs, len(pack)) for pack in formed(cases, 6)]
    found = []
    for spared in (True, False):
        compiler, kept = copied(tmp_path, spared)
        with Worker(compiler) as worker:
            outcomes = worker.execute_together(packs)
        sources = {path.name: path.read_text() for path in kept.iterdir()}
        results = [(o.status, [[y.tobytes() for y in one] for one in o.outputs]) for o in outcomes]
        found.append((sources, results))
    assert sum(status == "ok" for status, _ in found[0][1]) >= 3
    assert found[0][0]
    assert found[0] == found[1]
