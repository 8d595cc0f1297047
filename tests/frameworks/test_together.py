"""Programs that are compiled together: each outcome is that of the program compiled alone, or there is none."""

from contextlib import nullcontext

import numpy as np
import pytest

from polyjuice.campaign.case import Runner, together
from polyjuice.campaign.config import Config
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Worker
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs, settle
from polyjuice.lower import lower
from tests.support.workers import LIMITS, ONES, fake

BATCHING = """
BATCHES = "yes"
waiting = []

def draft(program, inputs):
    names = compile(program, inputs)
    waiting.append(names)
    return names

def build():
    for names in waiting:
        exec(names.get("later", ""), names)
        names["outputs"] = [("int64", np.array(len(waiting)))]
    waiting.clear()

import numpy as np
"""


def outcomes(folder, *sources):
    """What comes of programs of a fake compiler, whose output is how many were built together."""
    with Worker(fake(folder, BATCHING), limits=LIMITS) as worker:
        found = worker.execute_together([(Artifact("torch", source), [[ONES]]) for source in sources])
        return [int(outcome.outputs[0][0]) if outcome and outcome.status == "ok" else outcome for outcome in found]


def test_several_are_built_at_once(tmp_path):
    assert outcomes(tmp_path, "", "", "") == [3, 3, 3]
    assert outcomes(tmp_path) == []


def test_what_fails_has_no_outcome(tmp_path):
    assert outcomes(tmp_path, "", "raise ValueError", "") == [2, None, 2]
    assert outcomes(tmp_path, "raise ValueError") == [None]


def test_what_is_not_supported_says_so(tmp_path):
    first, second = outcomes(tmp_path, "raise NotImplementedError('of this kind')", "")
    assert first.status == "unsupported"
    assert "of this kind" in first.message
    assert second == 1


@pytest.mark.parametrize("when", ["", "later = 'import os; os.abort()'"], ids=["drafting", "building"])
def test_a_crash_takes_the_others_along_and_the_worker_goes_on(tmp_path, when):
    with Worker(fake(tmp_path, BATCHING), limits=LIMITS) as worker:
        fatal = when or "import os; os.abort()"
        programs = [(Artifact("torch", source), [[ONES]]) for source in ("", fatal, "")]
        assert worker.execute_together(programs) == [None, None, None]
        assert worker.execute(*programs[0]).status == "ok"


def test_programs_get_their_own_inputs(tmp_path):
    with Worker(
        fake(tmp_path, BATCHING.replace("np.array(len(waiting))", "names['inputs'][0][1].sum(dtype=int)"))
    ) as w:
        programs = [(Artifact("torch", ""), [[np.full(2, n)], [np.full(2, n)]]) for n in (1, 2)]
        assert [[int(y) for (y,) in o.outputs] for o in w.execute_together(programs)] == [[2, 2], [4, 4]]


def kernel(source):
    unit = pytest.importorskip("polyjuice.compilers._inductor_unit")
    command = ("g++", "-shared", "-fPIC", unit._SOURCE, "-o", unit._OUTPUT)
    return unit._HeldBack(source, command)


def test_kernels_of_one_unit_do_not_meet(tmp_path, monkeypatch):
    unit = pytest.importorskip("polyjuice.compilers._inductor_unit")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    made = unit.Unit(nullcontext())
    text = '#include <vector>\nstatic int base() {{ return {}; }}\nextern "C" int kernel() {{ return base(); }}\n'
    kernels = [made._kernel(kernel(text.format(n)), bound=False) for n in (1, 2, 1)]
    assert kernels[0] is kernels[2]
    with pytest.raises(unit.Unbuilt):
        kernels[0]()
    made.build()
    assert [k() for k in kernels] == [1, 2, 1]
    assert len(list(tmp_path.glob("*.so"))) == 1


def test_a_kernel_that_does_not_compile_leaves_the_others(tmp_path, monkeypatch):
    unit = pytest.importorskip("polyjuice.compilers._inductor_unit")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    made = unit.Unit(nullcontext())
    sound, faulty = (
        made._kernel(kernel(f'extern "C" int kernel() {{ return {value}; }}'), bound=False)
        for value in ("7", "missing")
    )
    made.build()
    assert sound() == 7
    with pytest.raises(RuntimeError, match="does not compile"):
        faulty()


def test_headers_that_are_written_anew_are_kept_once(tmp_path, monkeypatch):
    """As Inductor 2.5 does, with a folder for each program that is removed before the unit is built."""
    unit = pytest.importorskip("polyjuice.compilers._inductor_unit")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    made = unit.Unit(nullcontext())
    kernels = []
    for n in (3, 4):
        header = tmp_path / f"{n}.h"
        header.write_text("struct Three { int value = 3; };\n")
        text = f'#include "{header}"\nextern "C" int kernel() {{ return {n} * Three().value; }}\n'
        kernels.append(made._kernel(kernel(text), bound=False))
        header.unlink()
    made.build()
    assert [k() for k in kernels] == [9, 12]


def test_only_generated_graphs_are_compiled_together():
    inductor = find("inductor")
    assert together(Config("inductor"), inductor)
    assert not together(Config("inductor", plain=True), inductor)
    assert not together(Config("inductor", seeds=("model.onnx",)), inductor)
    assert not together(Config("inductor", device="cuda"), inductor)
    assert not together(Config("onnxruntime"), find("onnxruntime"))


@pytest.mark.long
def test_inductor_gives_the_same_results_together(tmp_path):
    pytest.importorskip("torch")
    programs = []
    for key in ("a", "b", "c", "d"):
        graph = settle(generate(5, key), key)
        programs.append((lower(graph, "torch", key), [make_inputs(graph, "normal", key)]))
    with Worker(find("inductor")) as worker:
        found = worker.execute_together(programs)
        alone = [worker.execute(*program) for program in programs]
    assert [o.status for o in found] == [o.status for o in alone] == ["ok"] * 4
    for one, other in zip(found, alone, strict=True):
        for y, z in zip(one.outputs[0], other.outputs[0], strict=True):
            np.testing.assert_array_equal(y, z)


def test_a_runner_uses_what_ran_ahead(tmp_path):
    """Cases 1 to 3 run ahead; case 0 is one of those that are always compiled alone."""
    pytest.importorskip("torch")
    config = Config("inductor", nodes=4, triage_s=0.0)
    runner = Runner(config, tmp_path, load([], (), ()))
    try:
        runner.run_ahead([0, 1, 2])
        assert sorted(runner._ahead) == [1, 2]
        worker = runner.session.worker()
        before = worker.seconds["compile"]
        result = runner.run(1)
        assert result.pairs or result.skipped
        assert worker.seconds["compile"] == before
        assert result.seconds["compile"] > 0
        assert sorted(runner._ahead) == [2]
    finally:
        runner.close()
