"""What ``make`` runs, and the entries of benchmarks/published."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx import helper
from packaging.version import Version

from benchmarks.published import run
from benchmarks.published.entry import CAUSES, Entry, read, read_all
from polyjuice.ops import TABLE
from scripts import aten, bug_list, bugs, prose

ROOT = Path(__file__).parents[2]


def test_timed_counts_processes_that_outlive_the_command_and_keeps_its_status() -> None:
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    command = ["sh", "-c", f"{sys.executable} -c '{busy}' & exit 3"]
    program = f"from scripts import timed; print(*timed.run({command}))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    status, _, processor = map(float, done.stdout.split())
    assert status == 3
    assert processor >= 0.5


@pytest.mark.long
def test_trace_case_counts_what_a_case_passes_through() -> None:
    command = [sys.executable, "scripts/trace_case.py", "--compiler", "numpy", "--index", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    counts = re.fullmatch(
        r"preparing to confirming: (\d+) files, (\d+) functions, (\d+) kinds of records\n", done.stdout
    )
    assert counts
    assert all(int(count) > 20 for count in counts.groups())


def installed(clone: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["make", "-n", *arguments], cwd=clone, capture_output=True, text=True, check=True)
    return [line.split()[-1].strip("'.[]") for line in done.stdout.splitlines() if " pip install " in line]


def test_each_target_installs_what_it_needs_and_nothing_twice(tmp_path: Path) -> None:
    for name in ("Makefile", "constraints.txt", "pyproject.toml", "scripts/check_python.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    assert installed(tmp_path, "fuzz") == ["inductor,report"]
    assert installed(tmp_path, "fuzz", "ARGS=--seeds model.onnx --compiler=tvm") == ["tvm,report"]
    assert installed(tmp_path, "fuzz", "ARGS=--compiler numpy") == ["report"]
    assert installed(tmp_path, "fuzz", "ARGS=--resume campaigns/last") == ["all,dev"]
    assert installed(tmp_path, "test") == ["all,dev"]
    (tmp_path / ".venv").mkdir()
    for mark in (".made", ".ready"):
        (tmp_path / ".venv" / mark).touch()
    assert installed(tmp_path, "fuzz", "ARGS=--compiler tvm") == []


STYLE = prose.Style(paths=(), stored=(), printed=(), words=8, phrases={"in order to": "to"})
FAULTY = "Run it in order to see."
FILES = {
    "a.py": f'"""A module.\n\n    in order to\n\n{FAULTY}\n"""\n\nNAME = "in order to"\n"""{FAULTY}"""\n'
    "# Run it in\n# order to see.\nraise ValueError(f'{NAME}: you ran it in order to see')\n"
    'CODE = """import os\nprint("you ran it in order to see")"""\n',
    "a.md": f"# Title\n\nOne `in order to` here. {FAULTY}\n\n```sh\nOf no use in order to\n```\n\n- {FAULTY}\n",
    "a.egg": f'; {FAULTY}\n(rewrite (Add x y) (Add y x) :name "in order to")\n',
    "a.html": f"<style>in order to</style>\n<p>One <b>word</b>. {FAULTY}</p>\n{{% in order to %}}\n",
    "a.toml": f'# {FAULTY}\nkey = "in order to"\n',
}
LINES = {"a.py": [1, 9, 10, 12], "a.md": [3, 9], "a.egg": [1], "a.html": [1], "a.toml": [1]}


def test_each_kind_of_file_is_checked(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    found = {
        path.name: [
            line
            for line, text in sorted(prose.prose(path, printed=True))
            for sentence in prose.sentences(text)
            for _ in STYLE.faults(sentence)
        ]
        for path in prose.files([str(tmp_path)], stored=())
    }
    assert found == LINES
    assert list(STYLE.faults("The compiler writes one file for each of the eight programs.")) == ["11 words"]


LIST = """
[newest]
onnxruntime = "1.1"

[[bug]]
number = "001"
compiler = "onnxruntime"
title = "a sum is wrong"
kind = "wrong result"
component = "optimizer"
mainstream = true
what = "x | y is wrong"
where = "Fuse"
status = { "1.1" = "shows" }  # seen twice
"""


def test_a_reproducer_is_held_against_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "001-onnxruntime-sum").mkdir()
    (tmp_path / "status.toml").write_text(LIST)
    tables = "".join(f"<!-- table: {name} -->\nold\n<!-- end: {name} -->\n" for name in ("open", "mended"))
    (tmp_path / "README.md").write_text(tables)
    for name, path in {"FOLDER": tmp_path, "LIST": tmp_path / "status.toml", "README": tmp_path / "README.md"}.items():
        monkeypatch.setattr(bug_list, name, path)

    def run(code: str, version: str = "1.1", *options: str) -> tuple[int, str]:
        (tmp_path / "001-onnxruntime-sum/repro.py").write_text(f"import sys\n{code}\n")
        monkeypatch.setattr(bugs, "_ASK_VERSION", f"print({version!r})")
        monkeypatch.setattr(sys, "argv", ["bugs.py", "--python", f"onnxruntime={sys.executable}", *options])
        return bugs.main(), capsys.readouterr().out

    for code, version, status, message in (
        ("sys.exit(1)", "1.1+cpu", 0, "001 ONNX Runtime 1.1: shows, as listed (shows); 0 s: a sum is wrong"),
        ("sys.exit(0)", "1.1", 1, "right, but the list says shows"),
        ("sys.exit(1)", "1.2", 1, "1.2: shows, but the list says nothing"),
        ("print('no such'); sys.exit(2)", "1.1", 2, "could not run: exit status 2: no such"),
        ("import time; time.sleep(60)", "1.1", 2, "could not run: it did not end within 1 s"),
    ):
        ended, printed = run(code, version, "--timeout", "1")
        assert (ended, message in printed) == (status, True), printed
    assert run("sys.exit(0)", "1.2", "--write")[0] == 1
    text = (tmp_path / "status.toml").read_text()
    assert tomllib.loads(text)["bug"][0]["status"] == {"1.1": "shows", "1.2": "right"}
    assert "# seen twice" in text
    *_, mended = (tmp_path / "README.md").read_text().partition("<!-- table: mended -->")
    assert "| optimizer | Fuse | yes | 1.1 shows, 1.2 right | no |" in mended
    (tmp_path / "status.toml").write_text(LIST.replace('"shows"', '"hangs"'))
    with pytest.raises(bug_list.ListError, match="status hangs is not one of shows, right, depends"):
        bug_list.read(tmp_path / "status.toml")


sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

ENTRIES = read_all()
OPERATORS = {name for _, name in TABLE}


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
    path = tmp_path / "inductor/name.py"
    path.parent.mkdir()
    text = 'LINK, CAUSE = 1, 2\nLINK = "https://x"\nCAUSE = "codegen"\nWRONG = ["2.1.0"]\nRIGHT = []\nPART = ""\n'
    for trigger, format in (
        ("def program(): 1 / 0", "torch"),
        ("def model(): ...\ndef inputs(): ...", "onnx"),
        ("def model(): ...\ndef tensorflow(): ...", "tensorflow"),
    ):
        path.write_text(f'"""One line."""\nimport no_such_module\n{text}OPERATORS = ["Add"]\n{trigger}\n')
        entry = read(path)
        assert (entry.key, entry.cause, entry.category) == ("inductor/name", "One line.", "codegen")
        assert entry.format == format
    path.write_text('"""One line."""\nLINK = "https://x"\n')
    with pytest.raises(KeyError, match="CAUSE"):
        read(path)


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


def test_every_operator_of_aten_is_in_the_table_or_has_a_reason() -> None:
    assert aten.main(["--missing"]) == 0
