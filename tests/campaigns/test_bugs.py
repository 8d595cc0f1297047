"""The list of bugs: each folder is listed and complete, and campaigns know bugs by the signatures of their findings."""

from __future__ import annotations

import re
import subprocess
import venv
from pathlib import Path

import pytest

from polyjuice import compilers
from polyjuice.triage import known_list
from polyjuice.triage.causes import cause_of
from polyjuice.triage.stored import load
from scripts import bug_list

BUGS = Path(__file__).parents[2] / "artifacts/bugs"
FOLDERS = sorted(path for path in BUGS.iterdir() if path.is_dir())


def test_every_bug_is_listed() -> None:
    listed = bug_list.read().bugs
    assert [bug.folder for bug in listed] == FOLDERS
    numbers = {bug.number for bug in listed}
    assert {bug.duplicate_of for bug in listed} <= numbers | {""}


def test_the_newest_release_is_listed_of_every_bug() -> None:
    bugs = bug_list.read()
    assert [bug.number for bug in bugs.bugs if bugs.newest[bug.package] not in bug.status] == []
    assert [bug.number for bug in bugs.bugs if ("depends" in bug.status.values()) != bool(bug.needs)] == []


def test_the_tables_are_those_of_the_list() -> None:
    """If this fails, run ``make bugs BUGS=--tables``."""
    text = (BUGS / "README.md").read_text()
    assert text == bug_list.with_tables(text, bug_list.read())
    rows = re.findall(r"^\| \[\d+\]\((.*?)\)", text, re.MULTILINE)
    assert sorted(rows) == [folder.name for folder in FOLDERS]


def test_every_bug_has_a_reproducer_and_a_report() -> None:
    files = [folder / name for folder in FOLDERS for name in ("repro.py", "report.md")]
    assert [file for file in files if not file.exists()] == []


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder)
    return folder / "bin/python"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_reproducer_that_lacks_its_compiler_could_not_run(bare: Path, folder: Path) -> None:
    done = subprocess.run([bare, "-I", folder / "repro.py"], capture_output=True, text=True)
    assert done.returncode == 2, done.stdout + done.stderr


def compiler_behind(name: str) -> str:
    """What a compiler file tests: XLA has two. ONNX Runtime runs what Torch's exporter makes."""
    return "onnxruntime" if name == "torch-onnx" else compilers.find(name).target_file


def test_every_known_bug_is_one_of_the_list() -> None:
    """An entry without a number is no bug, and its URL is that of the compiler's documentation."""
    listed = {bug.number: bug for bug in bug_list.read().bugs}
    for bug in known_list.load_known_bugs([known_list.SHIPPED]):
        if not bug.number:
            assert bug.url.startswith("https://")
            continue
        entry = listed[bug.number]
        assert bug.title == entry.title
        assert compiler_behind(bug.compiler) == compiler_behind(entry.compiler)
        assert bug.url in (*entry.upstream, f"artifacts/bugs/{entry.folder.name}"), bug.url


def test_no_two_entries_of_known_bugs_are_the_same() -> None:
    entries = [
        (bug.compiler, bug.signature, bug.pattern, bug.fixed)
        for bug in known_list.load_known_bugs([known_list.SHIPPED])
    ]
    assert len(set(entries)) == len(entries)


KNOWN_BY_THEIR_FINDINGS = sorted(path.parent.name for path in BUGS.glob("*/finding"))


@pytest.mark.parametrize("folder", KNOWN_BY_THEIR_FINDINGS)
def test_a_finding_is_known_again_by_its_signature(folder: str) -> None:
    stored = load(BUGS / folder / "finding")
    compiler = stored.record.compiler
    signature = cause_of(stored.record, stored.graphs, ())
    bug = known_list.find(
        known_list.load_known_bugs([known_list.SHIPPED]), compiler, stored.record.versions[compiler], signature
    )
    assert bug, signature
    assert bug.number == folder[:3]


@pytest.mark.parametrize(
    ("cause", "number"),
    [
        ("mismatch of aten.flip in place: wrong values", "065"),
        ("mismatch by lowering unsqueeze of aten.roll in place: wrong values", "065"),
        ("mismatch of aten.roll: wrong values", None),
        ("mismatch of torch.arange(int64): wrong values", "092"),
        ("mismatch of torch.arange(int32): wrong values", None),
    ],
)
def test_a_bug_of_torch_is_known_in_any_release(cause: str, number: str | None) -> None:
    bugs = known_list.load_known_bugs([known_list.SHIPPED])
    for version in ("2.13.0", "2.15.0+cu132"):
        bug = known_list.find(bugs, "inductor", version, cause)
        assert (bug and bug.number) == number


@pytest.mark.parametrize(
    ("compiler", "cause", "number"),
    [
        (
            "torch-onnx",
            "mismatch of ReduceSum(float16) aten.unfold(float16): element type float32 instead of float16",
            "233",
        ),
        ("torch-onnx", "mismatch of ReduceMax(float16): element type float32 instead of float16", "233"),
        ("torch-onnx", "mismatch of ReduceMax: a number instead of NaN", "080"),
        ("torch-onnx", "mismatch of ReduceMax: wrong values", None),
        ("tvm-torch", "mismatch of MatMul(float64): element type float32 instead of float64", "236"),
        ("tvm-torch", "mismatch of MatMul(float64): wrong values", None),
        ("tvm-torch", "mismatch of TopK(bfloat16 int64): wrong values", "238"),
        ("tvm-torch", "mismatch of TopK(float16 int64): wrong values", None),
    ],
)
def test_bugs_of_exporters_and_importers_are_told_from_their_neighbours(
    compiler: str, cause: str, number: str | None
) -> None:
    bugs = known_list.load_known_bugs([known_list.SHIPPED])
    version = {"torch-onnx": "2.13.0+cpu.onnxscript.0.7.2", "tvm-torch": "0.27.0.post1"}[compiler]
    bug = known_list.find(bugs, compiler, version, cause)
    assert (bug and bug.number) == number
