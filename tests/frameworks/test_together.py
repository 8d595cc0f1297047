"""Programs compiled together: the outcome of each is that of the program alone, or there is none."""

import os
import pickle
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from polyjuice.compilers import find
from polyjuice.execution import Artifact, Worker
from polyjuice.execution.protocol import to_wire
from tests.support.packs import cases
from tests.support.workers import LIMITS, ONES, fake

BATCHING = """
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


@pytest.mark.parametrize(
    ("others", "statuses"),
    [
        (("", ""), [3, 3, 3]),
        (("raise ValueError('of its own')", ""), [2, ("error", "ValueError: of its own"), 2]),
        (("raise NotImplementedError('of this kind')",), [1, ("unsupported", "NotImplementedError: of this kind")]),
        # A crash is that of its program, and the others have not run. While all are built, it may be that of each.
        (("import os; os.abort()", ""), [None, ("crash", ""), None]),
        (("later = 'import os; os.abort()'",), [("crash", "")] * 2),
    ],
)
def test_the_outcome_of_each_is_its_own(tmp_path, others, statuses):
    """An output is the number of programs that the compiler built together."""
    programs = [(Artifact(format="torch", source=source), [[ONES]], 1) for source in ("", *others)]
    with Worker(fake(tmp_path, BATCHING, batches=True), limits=LIMITS) as worker:
        assert worker.execute_together([]) == []
        outcomes = worker.execute_together(programs)
        assert worker.execute(*programs[0][:2]).status == "ok"
    for outcome, wanted in zip(outcomes, statuses, strict=True):
        if isinstance(wanted, tuple):
            assert (outcome.status, wanted[1] in outcome.message) == (wanted[0], True)
        else:
            assert (outcome and int(outcome.outputs[0][0])) == wanted


def test_what_comes_instead_of_a_failed_draft_is_built_with_the_others(tmp_path):
    def program(source):
        return Artifact(format="torch", source=source), [[ONES]], 1

    told = []

    def instead(number, outcome):
        told.append((number, outcome.status))
        return [program(""), program("")] if number == 1 else []

    programs = [program(""), program("raise ValueError"), program("raise NotImplementedError")]
    with Worker(fake(tmp_path, BATCHING, batches=True), limits=LIMITS) as worker:
        outcomes = worker.execute_together(programs, instead)
    assert told == [(1, "error"), (2, "unsupported")]
    assert [outcome.status for outcome in outcomes] == ["ok", "error", "unsupported", "ok", "ok"]
    assert [int(outcome.outputs[0][0]) for outcome in outcomes if outcome.outputs] == [3, 3, 3]


def test_programs_get_their_own_inputs(tmp_path):
    with Worker(
        fake(tmp_path, BATCHING.replace("np.array(len(waiting))", "names['inputs'][0][1].sum(dtype=int)"), batches=True)
    ) as w:
        programs = [(Artifact(format="torch", source=""), [[np.full(2, n)], [np.full(2, n)]], 1) for n in (1, 2)]
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


def test_kernels_that_do_not_compile_are_told_by_their_lines(tmp_path, monkeypatch):
    unit = pytest.importorskip("polyjuice.compilers._inductor_unit")
    names = ["1", "missing", "2", "3", "4", "absent", "5"]
    kernels = [
        unit._Kernel(f'extern "C" int kernel() {{\n return {name};\n}}\n', kernel("").command, False) for name in names
    ]
    assert unit._build(kernels, tmp_path / "unit") == [[kernel for kernel in kernels if not kernel.problem]]
    assert [kernels.index(kernel) for kernel in kernels if kernel.problem] == [1, 5]


def test_headers_that_are_written_anew_are_kept_once(tmp_path, monkeypatch):
    """An example is Inductor 2.5: each program has a folder, which Inductor removes before the unit is built."""
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


def test_what_one_process_has_compiled_no_other_compiles(tmp_path, monkeypatch):
    unit = pytest.importorskip("polyjuice.compilers._inductor_unit")
    codecache = pytest.importorskip("torch._inductor.codecache")
    kept, compiled = tmp_path / "kept", []
    kept.mkdir()

    def compile_step(source, output, command):
        compiled.append(source)
        Path(output).write_text(f"compiled {Path(source).read_text()} with {command[1]}")

    monkeypatch.setattr(codecache, unit._compile_step(), compile_step)
    found = []
    for number, (text, flag) in enumerate([("a", "-O3"), ("a", "-O3"), ("b", "-O3"), ("a", "-O1")]):
        source, output = tmp_path / f"{number}.cpp", tmp_path / f"{number}.so"
        source.write_text(text)
        with unit.keeping_compiled(kept):
            step = getattr(codecache, unit._compile_step())
            step(str(source), str(output), ["g++", flag, str(source), "-o", str(output)])
        found.append(output.read_text())
    assert found == ["compiled a with -O3", "compiled a with -O3", "compiled b with -O3", "compiled a with -O1"]
    assert [Path(source).name for source in compiled] == ["0.cpp", "2.cpp", "3.cpp"]


REFUSED = """
import torch

class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, p0_x, p1_x, p1_c):
        p0_v = p0_x * 3
        p1_v = torch.where(p1_c, p1_x, p1_x)
        return p0_v, p1_v
"""


def test_inductor_names_the_line_that_it_refuses(tmp_path):
    """Inductor itself says only that it promotes no uint64."""
    pytest.importorskip("torch")
    artifact = Artifact(format="torch", source=REFUSED, results=2)
    inputs = [[np.ones(3, np.float32), np.ones(3, np.uint64), np.ones(3, bool)]]
    with Worker(find("inductor")) as worker:
        (outcome,) = worker.execute_together([(artifact, inputs, 2)])
    assert outcome.status == "unsupported"
    assert "p1_v = torch.where(p1_c, p1_x, p1_x)" in outcome.message
    assert "p0_" not in outcome.message


PLAIN = """
import pickle
import sys
from dataclasses import replace

import torch

from polyjuice.compilers import _torch

results = []
with open(sys.argv[1], "rb") as file:
    for artifact, inputs in pickle.load(file):
        torch._dynamo.reset()
        program = _torch.load(artifact)
        compiled = replace(program, model=torch.compile(program.model, fullgraph=True, dynamic=program.dynamic))
        results.append([[y.tobytes() for _, y in _torch.run(compiled, one)] for one in inputs])
with open(sys.argv[2], "wb") as file:
    pickle.dump(results, file)
"""
"""Compiles programs one after another with torch.compile as a user has it."""


@pytest.mark.long
def test_inductor_gives_the_bits_of_plain_torch_compile(tmp_path):
    pytest.importorskip("torch")
    count = 30
    programs = [(case.programs[0].artifact, case.inputs, 1) for case in cases(count)]
    with Worker(find("inductor")) as worker:
        found = worker.execute_together(programs)
    ran = [number for number, outcome in enumerate(found) if outcome.status == "ok"]
    assert len(ran) >= 0.8 * count
    plain = []
    for number in ran:
        artifact, inputs, _ = programs[number]
        parts = {"source": artifact.source, "setup": artifact.setup}
        arrays = {name: to_wire(array) for name, array in artifact.arrays.items()}
        arguments = [arrays[name] for name in artifact.arguments]
        plain.append(({**parts, "arrays": arrays}, [[*map(to_wire, one), *arguments] for one in inputs]))
    (tmp_path / "programs").write_bytes(pickle.dumps(plain))
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-c", PLAIN, str(tmp_path / "programs"), str(tmp_path / "results")]
    subprocess.run(command, env=environment, check=True)
    expected = pickle.loads((tmp_path / "results").read_bytes())
    for number, one in zip(ran, expected, strict=True):
        count = len(found[number].outputs[0])
        bits = [[to_wire(y)[1].tobytes() for y in outputs] for outputs in found[number].outputs]
        assert bits == [outputs[:count] for outputs in one], programs[number][0].source
