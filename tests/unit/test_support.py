"""Probes find out once which operators a compiler supports. The answers decide which graphs it gets."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from polyjuice import compilers, probes, support
from polyjuice.egraph import Rewriter, distinct, load
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.generate import generate
from polyjuice.generate.instances import Signature, instance, some_signature
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, Op
from polyjuice.support import Support
from tests.support.in_process import InProcess as Worker

ROOT = Path(__file__).resolve().parents[2]

PICKY = """
from polyjuice.compilers import numpy as numpy_control
from polyjuice.compilers.numpy import *

INFO = {
    "format": "onnx",
    "needs": "a test",
    "repro": "prepare = None",
    "lacks": ["functions", "symbolic sizes", "constant nodes"],
}
asked = []

def load(artifact):
    graph = numpy_control.load(artifact)
    for node in graph.nodes:
        with open(__file__ + ".asked", "a") as file:
            print(node.op, file=file)
        if node.op == "Tanh" or node.op == "Add" and graph.types[node.inputs[0]].dtype == "float16":
            raise NotImplementedError(f"no kernel for {node.op}")
        if node.op == "OneHot" and node.inputs[-1] in graph.inputs:
            raise NotImplementedError("only constant values")
    return graph
"""

IS_DOUBLE = """
def is_double(graph):
    return "float64" in {t.dtype for t in graph.types.values()}
"""


@pytest.fixture
def picky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> compilers.CompilerInfo:
    """A compiler without Tanh, and without Add on float16."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "picky.py"
    path.write_text(PICKY)
    return compilers.read("picky", path)


def asked(compiler: compilers.CompilerInfo) -> list[str]:
    return Path(f"{compiler.path}.asked").read_text().split()


def test_an_operator_is_taken_or_not_by_type(known: Support) -> None:
    half = [TensorType("float16", (2, 3))]
    assert known.takes(TABLE["", "Add"], SINGLE * 2, SINGLE)
    assert not known.takes(TABLE["", "Add"], half * 2, half)
    assert not known.takes(TABLE["", "Tanh"], SINGLE, SINGLE)
    assert "no kernel for Tanh" in known.reason(TANH)


SINGLE = [TensorType("float32", (2, 3))]
TANH, RELU, ADD, ABS = (Signature(TABLE["", name], ("float32",), 2) for name in ("Tanh", "Relu", "Add", "Abs"))


def test_an_operator_that_wants_constants_is_taken(picky: compilers.CompilerInfo, known: Support) -> None:
    assert not known.reason(some_signature(TABLE["", "OneHot"], "int64"))
    assert asked(picky).count("OneHot") == 2


def test_answers_outlive_the_process_and_a_torn_line(picky: compilers.CompilerInfo) -> None:
    with Worker(picky) as worker:
        assert not Support(picky, worker).takes(TABLE["", "Tanh"], SINGLE, SINGLE)
        file = support.cache_file(picky, worker.info["version"])
    count = len(asked(picky))
    with file.open("a") as appended:
        appended.write('["Relu float32 ra')
    assert [json.loads(line)[0] for line in file.read_text().splitlines()[:1]] == ["Tanh float32 rank 2"]
    with Worker(picky) as worker:
        again = Support(picky, worker)
        assert not again.takes(TABLE["", "Tanh"], SINGLE, SINGLE)
        assert len(asked(picky)) == count
        assert again.takes(TABLE["", "Relu"], SINGLE, SINGLE)


def test_answers_do_without_a_cache_that_cannot_be_written(
    picky: compilers.CompilerInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with Worker(picky) as worker:
        known = Support(picky, worker)
        assert known.takes(TABLE["", "Relu"], SINGLE, SINGLE)
        count = len(asked(picky))
        assert known.takes(TABLE["", "Relu"], SINGLE, SINGLE)
        assert len(asked(picky)) == count


def test_a_change_elsewhere_runs_no_program_again(picky: compilers.CompilerInfo) -> None:
    """The cached answers are gone, as after a change in lowering. The programs are made again, and are the same."""

    def reasons(opset: int = 18) -> list[str]:
        with Worker(picky) as worker:
            found = [Support(picky, worker, opset).reason(signature) for signature in (TANH, RELU)]
            support.cache_file(picky, worker.info["version"], opset).unlink()
        return found

    first, count = reasons(), len(asked(picky))
    assert [bool(reason) for reason in first] == [True, False]
    assert reasons() == first
    assert len(asked(picky)) == count
    assert reasons(opset=17) == first
    assert len(asked(picky)) == 2 * count
    picky.path.write_text(PICKY + "\n")
    assert reasons() == first
    assert len(asked(picky)) == 3 * count


def test_no_generated_graph_holds_what_is_not_taken(known: Support) -> None:
    graphs, again = ([generate(10, f"picky {number}", known.takes) for number in range(25)] for _ in range(2))
    for graph in graphs:
        for node in graph.nodes:
            assert node.qualified != "Tanh"
            assert node.qualified != "Add" or graph.types[node.inputs[0]].dtype != "float16"
    assert list(map(str, graphs)) == list(map(str, again))
    assert "Add" in {node.op for graph in graphs for node in graph.nodes}


@pytest.mark.parametrize("op", TABLE.values(), ids=lambda op: op.qualified)
def test_every_operator_has_an_instance_of_its_signatures(op: Op) -> None:
    found = 0
    for dtype in op.types[op.variable(0)]:
        signature = some_signature(op, dtype)
        if signature:
            graph = instance(signature, random.Random(dtype))
            (node,) = graph.nodes
            operands = [graph.types[name] for name in node.inputs if name]
            assert Signature.of(op, operands, [graph.types[name] for name in node.outputs]) == signature
            found += 1
    assert found


def test_no_variant_holds_what_is_not_taken() -> None:
    """Extraction does not choose such an operator, at either end. Rules can still continue from it."""
    rewriter = Rewriter(load())
    met, kept = 0, 0
    for number in range(7):
        graph = generate(8, f"variants {number}")
        operators = {node.qualified for node in graph.nodes}
        free = rewriter.rewrite(graph, number).variants
        brought = {node.qualified for variant in free for node in variant.graph.nodes} - operators
        if not brought:
            continue
        met += 1

        def accepts(op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
            return op.qualified in operators  # noqa: B023 - used in this turn alone

        variants = rewriter.rewrite(graph, number, accepts=accepts).variants
        for variant in variants:
            held = {node.qualified for node in variant.graph.nodes}
            assert held - {"Expand"} <= operators
        kept += len(distinct(variants)) == 2
    assert met > 3
    assert kept


def test_the_time_for_answers_does_not_count_in_the_workers(picky: compilers.CompilerInfo) -> None:
    with Worker(picky) as worker:
        worker.start()
        before, known = dict(worker.seconds), Support(picky, worker)
        known.reason(TANH)
        assert asked(picky)
        assert worker.seconds == before
        spent = known.seconds
        assert spent > 0
        known.reason(TANH)
        assert known.seconds == spent
        again = Support(picky, worker)
        again.reason(TANH)
        assert again.seconds == 0


@pytest.fixture
def shipped(
    picky: compilers.CompilerInfo, known: Support, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[Signature]:
    """Some signatures whose programs' outcomes are shipped. The cache is empty, and no probe has run."""
    monkeypatch.setattr(probes, "FOLDER", tmp_path)
    signatures = [TANH, RELU, ADD]
    assert [bool(known.reason(signature)) for signature in signatures] == [True, False, False]
    version = known._worker.info["version"]
    probes.ship(picky, version, support.read(support.programs_file(picky, version)))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty cache"))
    Path(f"{picky.path}.asked").unlink()
    return signatures


def test_no_program_runs_of_which_the_package_says_what_becomes(
    picky: compilers.CompilerInfo, shipped: Sequence[Signature]
) -> None:
    with Worker(picky) as worker:
        known = Support(picky, worker)
        assert [known.reason(signature) for signature in shipped] == ["NotImplementedError: no kernel for Tanh", "", ""]
        assert not Path(f"{picky.path}.asked").exists()
        assert not known.reason(ABS)
        assert set(asked(picky)) == {"Abs"}


def test_what_is_shipped_holds_until_a_helper_changes_that_the_compiler_file_imports(
    picky: compilers.CompilerInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = picky.path.parent
    monkeypatch.setattr(probes, "FOLDER", folder)
    picky.path.write_text("from . import _near, _nearer\n" + PICKY)
    for name, text in {"_near": "if True:\n    from . import _far", "_nearer": "", "_far": "", "_other": ""}.items():
        (folder / f"{name}.py").write_text(text + "\n")
    probes.ship(picky, "1", {"0" * 24: ""})
    (folder / "_other.py").write_text("changed = True\n")
    assert probes.shipped(picky, "1") == {"0" * probes.DIGITS: ""}
    (folder / "_far.py").write_text("changed = True\n")
    assert probes.shipped(picky, "1") == {}


def test_a_form_is_lacked_in_the_element_types_without_a_kernel(picky: compilers.CompilerInfo) -> None:
    picky.path.write_text(PICKY.replace('node.op == "Tanh"', 'node.op == "Mean" and is_double(graph)') + IS_DOUBLE)
    forms = [("any value", name) for name in ("through Mean of one", "through Mean of one float64")]
    with Worker(picky) as worker:
        assert Support(picky, worker).lacked(forms) == ["any value: through Mean of one float64"]


def test_digests_that_begin_alike_are_not_shipped(picky: compilers.CompilerInfo) -> None:
    with pytest.raises(ValueError, match="do not tell the programs of picky apart"):
        probes.ship(picky, "1", {"0" * 24: "", "0" * 23 + "1": ""})


def test_shipped_files_are_of_the_locked_releases() -> None:
    """Each file is readable and current, lists supported programs, and says nothing about its maker's machine."""
    packages = {
        "eager": "torch",
        "inductor": "torch",
        "onnxruntime": "onnxruntime",
        "tvm": "apache-tvm",
        "xla": "tensorflow_cpu",
        "jax": "jax",
        "openvino": "openvino",
        "iree": "iree-base-compiler",
        "torch-onnx": "torch",
        "tvm-torch": "apache-tvm",
        "openvino-torch": "openvino",
    }
    locked = dict(
        line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if "==" in line
    )
    expected = {f"{compiler}-{locked[package]}.json" for compiler, package in packages.items()}
    assert {path.name for path in probes.FOLDER.glob("*.json")} == expected
    for name in expected:
        file = probes.FOLDER / name
        compiler = compilers.find(name.rpartition("-")[0])
        assert probes.is_current(file, compiler), f"{name} is older than the compiler file: make probes"
        known = probes.read(file)
        assert len(known) > 100
        assert "" in known.values()
        assert not any("site-packages" in reason or str(Path.home()) in reason for reason in known.values())
        assert file.stat().st_size < 400 * len(TABLE)


@pytest.mark.parametrize("name", ["onnxruntime", "tvm", "xla", "inductor"])
def test_nearly_all_that_a_new_machine_asks_is_shipped(name: str) -> None:
    """Programs that are drawn otherwise than when the answers were made must run again: TVM takes a second for each."""
    (file,) = probes.FOLDER.glob(f"{name}-[0-9]*.json")
    shipped, asked = probes.read(file), Support(compilers.find(name), cast(Any, None))  # no worker: nothing runs
    operators = [op for op in TABLE.values() if op.inputs and op.weight >= 1 and "float32" in op.types[op.variable(0)]]
    found = []
    for op in random.Random(0).sample(operators, 40):
        signature = some_signature(op, "float32")
        graph = instance(signature, random.Random(f"{signature} 0")) if signature else None
        with suppress(Unlowerable):
            if graph:
                digest = support._digest(graph, asked._lowered(graph, "0"))
                found.append(digest[: probes.DIGITS] in shipped)
    assert len(found) > 30
    assert sum(found) > 0.9 * len(found), "make probes"


@pytest.fixture
def known(picky: compilers.CompilerInfo) -> Iterator[Support]:
    """What a worker of the compiler takes."""
    with Worker(picky) as worker:
        yield Support(picky, worker)
