"""The entries of benchmarks/published: each is readable and complete. No compiler runs here."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx import helper
from packaging.version import Version

from polyjuice.ops import TABLE

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.published import cuda_stubs, environments, run, table
from benchmarks.published.entry import CAUSES, Entry, read, read_all

ENTRIES = read_all()
OPERATORS = {name for _, name in TABLE}


@pytest.mark.parametrize(("compiler", "least"), [("inductor", 30), ("onnxruntime", 24), ("tvm", 8), ("xla", 8)])
def test_there_are_enough_entries(compiler: str, least: int) -> None:
    assert sum(entry.compiler == compiler for entry in ENTRIES) >= least


def test_entries_are_complete() -> None:
    for entry in ENTRIES:
        assert entry.cause.endswith("."), entry.key
        assert entry.link.startswith("https://"), entry.key
        assert entry.category in CAUSES, entry.key
        assert entry.operators, entry.key
        assert not set(entry.operators) - OPERATORS, entry.key
        assert entry.wrong, entry.key
        assert not set(entry.wrong) & set(entry.right), entry.key
        for releases in (entry.wrong, entry.right):
            assert list(releases) == sorted(releases, key=Version), entry.key


def test_reading_runs_nothing_and_knows_the_format(tmp_path: Path) -> None:
    """The trigger's imports would fail if the reader ran them."""
    folder = tmp_path / "inductor"
    folder.mkdir()
    path = folder / "name.py"
    text = 'LINK, CAUSE = 1, 2\nLINK = "https://x"\nCAUSE = "codegen"\nWRONG = ["2.1.0"]\nRIGHT = []\nPART = ""\n'
    path.write_text(f'"""One line."""\nimport no_such_module\n{text}OPERATORS = ["Add"]\ndef program(): 1 / 0\n')
    entry = read(path)
    assert (entry.key, entry.cause, entry.category, entry.format) == ("inductor/name", "One line.", "codegen", "torch")
    path.write_text(f'"""One line."""\n{text}OPERATORS = ["Add"]\ndef model(): ...\ndef inputs(): ...\n')
    assert read(path).format == "onnx"
    path.write_text(f'"""One line."""\n{text}OPERATORS = ["Add"]\ndef model(): ...\ndef tensorflow(): ...\n')
    assert read(path).format == "tensorflow"
    path.write_text('"""One line."""\nLINK = "https://x"\n')
    with pytest.raises(KeyError, match="CAUSE"):
        read(path)


def test_halves_are_fixed_and_both_large() -> None:
    assert Entry("inductor", "name", Path(), "", "", "", (), (), "", (), "torch").half == "open"
    halves = [entry.half for entry in ENTRIES]
    assert min(halves.count("open"), halves.count("held out")) >= len(halves) / 4


def test_a_compiler_names_its_entries() -> None:
    a, b = (Entry(compiler, "name", Path(), "", "", "", (), (), "", (), "torch") for compiler in ("tvm", "xla"))
    assert [run.is_named(e, "tvm") for e in (a, b)] == [True, False]
    assert [run.is_named(e, "tvm/n*") for e in (a, b)] == [True, False]
    assert run.is_named(b, "*/name")


def test_what_is_not_measured_again_stays_known() -> None:
    """A removed entry does not stay."""
    before = {"tvm/a": {"given": {"found": True}, "blind": {"found": True}}, "tvm/b": {"given": {}}, "tvm/gone": {}}
    anew = {"tvm/a": {"given": {"found": False}}, "tvm/b": {}}
    kept = run.joined(before, anew)
    assert kept == {"tvm/a": {"given": {"found": False}, "blind": {"found": True}}, "tvm/b": {"given": {}}}


def finding_of(folder: Path, operator: str, domain: str, blame: list[str]) -> Path:
    """A stored finding of one program. It expresses an operator of ATen by a function with operators of ONNX."""
    folder.mkdir()
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("aten", 1)]
    body = helper.make_node("ReduceMax", ["x"], ["y"])
    function = helper.make_function("aten", "amax", ["x"], ["y"], [body], imports[:1])
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"], domain=domain)], "g", [], [])
    onnx.save(
        helper.make_model(graph, opset_imports=imports, functions=[function] if domain else []), folder / "a.onnx"
    )
    (folder / "finding.json").write_text(json.dumps({"blame": blame}))
    return folder


def test_a_bugs_operators_go_by_two_names_and_its_part_by_its_own(tmp_path: Path) -> None:
    entry = Entry("inductor", "name", Path(), "", "", "", (), (), "a pass", ("ReduceMax",), "torch")
    as_onnx, as_aten = finding_of(tmp_path / "a", "ReduceMax", "", []), finding_of(tmp_path / "b", "amax", "aten", [])
    other, blamed = finding_of(tmp_path / "c", "ReduceMin", "", []), finding_of(tmp_path / "d", "Neg", "", ["a pass"])
    assert [run.has_cause(entry, one) for one in (as_onnx, as_aten, other, blamed)] == [True, True, False, True]
    argmax = replace(entry, operators=("ArgMax",))
    assert run.has_cause(argmax, finding_of(tmp_path / "e", "argmax", "aten", []))


def test_only_a_small_program_is_a_blind_find() -> None:
    result = {"found": True, "pairs": 3, "sides": ["min", "max"], "operators": {"min": 6, "max": 6}}
    large = {**result, "operators": {"min": 2, "max": 7}}
    assert [table.is_found(one, "blind") for one in (result, large, {"found": False})] == [True, False, False]
    assert table.is_found(large, "given")


def test_releases_are_named_by_compiler_and_version() -> None:
    assert run.release_of(Entry("tvm", "name", Path(), "", "", "", ("0.25.0", "0.26.0"), (), "", (), "onnx")) == (
        "tvm-0.26.0"
    )


def test_our_own_release_needs_no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "version", lambda package: "2.13.0+cpu")
    assert environments.interpreter("inductor", "2.13.0", tmp_path) == Path(sys.executable)
    made = tmp_path / "torch-2.5.1"
    made.mkdir()
    (made / ".ready").touch()
    assert environments.interpreter("inductor", "2.5.1", tmp_path) == made / "bin/python"


def test_a_library_loads_with_stubs_of_what_it_needs(tmp_path: Path) -> None:
    """One function of the missing library has a version, the other has none. Both report that there is no device."""
    folder = tmp_path / "lib"
    folder.mkdir()
    cuda, source, script = tmp_path / "libcudart.so.12", tmp_path / "a.c", tmp_path / "a.map"
    source.write_text("int cudaOld(void) { return 0; } int cuNew(void) { return 0; }")
    script.write_text("libcudart.so.12 { global: cudaOld; };")
    compile_it = ["gcc", "-shared", "-fPIC", "-o"]
    subprocess.run(
        [*compile_it, cuda, source, f"-Wl,--version-script={script}", f"-Wl,-soname,{cuda.name}"], check=True
    )
    source.write_text("int cudaOld(void); int cuNew(void); int sum(void) { return cudaOld() + cuNew(); }")
    library = folder / "libtorch_cuda.so"
    subprocess.run([*compile_it, library, source, cuda, "-Wl,-rpath,$ORIGIN"], check=True)
    cuda.unlink()
    with pytest.raises(OSError, match=r"libcudart\.so\.12"):
        ctypes.CDLL(str(library))
    cuda_stubs.add_to(folder)
    assert ctypes.CDLL(str(library)).sum() == 2 * cuda_stubs.NO_DEVICE


def test_a_constant_that_the_program_computes_has_operators(tmp_path: Path) -> None:
    (entry,) = (entry for entry in ENTRIES if entry.key == "inductor/arange_beyond_int32")
    finding = finding_of(tmp_path / "a", "Identity", "", [])
    model = onnx.load(finding / "a.onnx")
    model.graph.initializer.append(helper.make_tensor("c1", onnx.TensorProto.INT64, [2], [0, 10**9]))
    onnx.save(model, finding / "a.onnx")
    assert not run.holds(entry, finding)
    (finding / "repro.py").write_text("def forward(x):\n    c2 = x * 2\n")
    assert not run.holds(entry, finding)
    (finding / "repro.py").write_text("def forward(x):\n    c1 = (torch.arange(2) * 1000000000).reshape((2,))\n")
    assert run.holds(entry, finding)
