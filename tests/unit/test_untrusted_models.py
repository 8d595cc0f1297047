"""Broken and hostile ONNX models: Polyjuice refuses each in one line, and allocates nothing for it."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    numpy_helper,
)

from polyjuice import check
from polyjuice.frameworks import forked
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import ReadLimits, TooLarge, reading_within
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx import read as onnx_read
from polyjuice.frameworks.onnx.file import bounded_bytes, load_model
from polyjuice.frameworks.onnx.read import OUTPUT_MARK, PRODUCER
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, ShapeMismatch, infer
from polyjuice.ops.sampling import factors
from polyjuice.suite.cases import SuiteError
from polyjuice.suite.checking import Checker, NotChecked
from tests.support.commands import refusal

OPSET = [helper.make_opsetid("", 18)]

node = helper.make_node


def constant(name: str, values: object) -> TensorProto:
    return numpy_helper.from_array(np.array(values), name)


def value(name: str, shape: list[int]) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def model(
    nodes: list[NodeProto],
    shape: list[int] | None = None,
    producer: str = "",
    results: Sequence[str] = ("y",),
    opset: int = 18,
    **parts: list[object],
) -> ModelProto:
    functions = parts.pop("functions", [])
    graph = helper.make_graph(nodes, "g", [value("x", shape or [3])], [value(name, [3]) for name in results], **parts)
    domains = {function.domain for function in functions if isinstance(function, FunctionProto)}
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=imports, functions=functions, producer_name=producer)


def relu(**changes: object) -> NodeProto:
    made = node("Relu", ["x"], ["y"])
    for name, text in changes.items():
        setattr(made, name, text)
    return made


def stored(made: ModelProto, folder: Path) -> Path:
    path = folder / "model.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def doubling(depth: int) -> list[FunctionProto]:
    """Functions of which each calls the next one twice."""
    made, imports = [], [*OPSET, helper.make_opsetid("own", 1)]
    for level in range(depth):
        inner, domain = (f"F{level + 1}", "own") if level + 1 < depth else ("Relu", "")
        nodes = [node(inner, [a], [b], domain=domain) for a, b in ("ab", "bc")]
        made.append(helper.make_function("own", f"F{level}", ["a"], ["c"], nodes, imports))
    return made


ENDLESS = helper.make_function("own", "F0", ["a"], ["b"], [node("F0", ["a"], ["b"], domain="own")],
                               [helper.make_opsetid("own", 1)])  # fmt: skip


RANGE = [constant("a", 0), constant("b", 2**60), constant("c", 1)]


def nested(depth: int) -> GraphProto:
    graph = helper.make_graph([], "end", [], [])
    for _ in range(depth):
        node = NodeProto(op_type="If", input=["c"], output=["o"])
        node.attribute.append(helper.make_attribute("then_branch", graph))
        node.attribute.append(helper.make_attribute("else_branch", helper.make_graph([], "end", [], [])))
        graph = helper.make_graph([node], "g", [], [])
    return graph


CALL = node("F0", ["x"], ["y"], domain="own")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (model([relu()], [2**60]), ["'x'", "more than 67,108,864 elements", "--max-elements"]),
        (model([relu()], [1] * 30), ["'x' has 30 dimensions"]),
        (model([node("Tile", ["x", "r"], ["y"])], initializer=[constant("r", [2**50])]),
         ["node 0 (Tile 'y')", "--max-elements"]),
        (model([node("ConstantOfShape", ["s"], ["y"])], initializer=[constant("s", [2**40, 2**20])]),
         ["node 0 (ConstantOfShape 'y')", "--max-elements"]),
        (model([node("Range", ["a", "b", "c"], ["y"])], initializer=RANGE), ["node 0 (Range 'y')", "--max-elements"]),
        (model([CALL], functions=doubling(20)), ["nodes or more", "functions", "--max-nodes"]),
        (model([CALL], functions=[ENDLESS]), ["the function F0 calls itself"]),
        (model([*nested(28).node, relu()]), ["nested more than 24 deep"]),
        (model([relu(name="n" * 10_000_000)]), ["has 10,000,000 characters"]),
        (model([node("Relu", ["x", "x"], ["y"])]), ["node 0 (Relu 'y')", "2 inputs", "takes 1"]),
        (model([node("Relu", ["x"], ["y"], axis=1)]), ["no attribute 'axis'"]),
        (model([node("Softmax", ["x"], ["y"], axis="last")]), ["the attribute axis has another type"]),
        (model([node("Einsum", ["x"], ["y"], equation="a\0->a")]), ["the equation", "no letters"]),
        (model([relu(), relu()]), ["'y' is defined twice"]),
        (model([relu()], opset=99), ["the opset 99", "newer than", "export"]),
        (model([relu()], results=()), ["has no output"]),
        (model([node("Relu", ["z"], ["y"])]), ["'z' is not defined before it"]),
        # a node that contradicts its operands, whatever the model declares
        (model([node("Pad", ["x", "pads"], ["v"]), node("Relu", ["v"], ["y"])], value_info=[value("v", [1, 1, 2, 3])],
               initializer=[constant("pads", [0] * 8)]),
         ["node 0 (Pad 'v'): the types of its values cannot be inferred"]),
        (model([node("Slice", ["x", "starts", ""], ["y"])], initializer=[constant("starts", [0])]), []),
        (model([node("Slice", ["x", "starts", ""], ["y"])], [3], PRODUCER, initializer=[constant("starts", [0])]), []),
        (model([node("Cast", ["x"], ["y"])]), []),
        # a zero keeps the size of a dimension that is not there
        (model([node("Reshape", ["x", "sizes"], ["y"])], initializer=[constant("sizes", [1, 3, 0])]), []),
        (model([NodeProto(op_type="Relu", input=["x"])]), []),
        (model([node("If", [], ["y"], then_branch=GraphProto(name="a"), else_branch=GraphProto(name="b"))]), []),
        (model([node("Loop", ["trips", "", "x"], ["y"])]), []),
        (model([NodeProto(op_type="Identity", name=f"{OUTPUT_MARK}y", output=["y"])]), []),
    ],
)  # fmt: skip
def test_a_hostile_model_is_refused_with_its_place_and_advice(
    tmp_path: Path, made: ModelProto, words: list[str]
) -> None:
    path = stored(made, tmp_path)
    with pytest.raises(FormatError) as caught:
        graph_files.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message) < 500
    assert "\n" not in message
    assert [word for word in words if word not in message] == []


def test_every_command_refuses_a_huge_input_at_once(tmp_path: Path) -> None:
    path = stored(model([relu()], [2**60]), tmp_path)
    for arguments in (
        ["rewrite", path],
        ["metrics", tmp_path],
        ["fuzz", "--compiler", "numpy", "--seeds", path, "-n", 1],
    ):
        message = refusal(*arguments[1:], command=arguments[0], cwd=tmp_path)
        assert "'x' has the type float32[1152921504606846976]" in message
        assert "--max-elements" in message
    with Checker("numpy") as checker, pytest.raises(TooLarge, match="--max-elements"):
        checker.check(path, {"x": np.zeros(3, np.float32)})


def test_an_option_raises_the_limit_and_the_settings_set_it(tmp_path: Path) -> None:
    path = stored(model([relu()], [100]), tmp_path)
    assert "more than 99 elements" in refusal(path, "--max-elements", 99, command="rewrite", cwd=tmp_path)
    (tmp_path / "polyjuice.toml").write_text("max-elements = 9\n")
    assert "more than 9 elements" in refusal(path, command="rewrite", cwd=tmp_path)
    with reading_within(ReadLimits(elements=100)):
        assert graph_files.load(path).inputs == ("x",)


def test_a_small_model_takes_little_memory(tmp_path: Path) -> None:
    with reading_within(ReadLimits(memory_gib=0.2)):
        assert graph_files.load(stored(model([relu()]), tmp_path)).inputs == ("x",)


def test_the_elements_of_all_values_are_limited_together(tmp_path: Path) -> None:
    names = ["x", *(f"v{n}" for n in range(20)), "y"]
    nodes = [node("Relu", [a], [b]) for a, b in pairwise(names)]
    path = stored(model(nodes, [100]), tmp_path)
    limits = ReadLimits(elements=100)
    with reading_within(limits), pytest.raises(TooLarge, match="together have more than 1,600 elements"):
        graph_files.load(path)


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = stored(model([relu(name="marked")]), tmp_path)
    path.write_bytes(path.read_bytes().replace(b"marked", b"mark\xff\xfe"))
    with pytest.raises(FormatError, match="no text in UTF-8"):
        graph_files.load(path)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "crashes ONNX's library (SIGSEGV)"),
        (lambda: os.abort(), "crashes ONNX's library (SIGABRT)"),
        (lambda: [None for _ in iter(int, 1)], "cannot be read within 1 s"),
        (lambda: bytearray(2**40), "cannot be read in 1 GiB of memory"),
    ],
)
def test_a_crash_a_hang_and_full_memory_end_only_the_process_that_reads(
    function: Callable[[], object], words: str
) -> None:
    def work() -> object:
        with forked.doing("at work"):
            return function()

    with reading_within(ReadLimits(seconds=1, memory_gib=1)), pytest.raises(FormatError) as caught:
        forked.run_in_fork(work, "a.onnx")
    message = str(caught.value)
    assert words in message
    assert message.startswith("a.onnx: ")
    assert message.endswith("(at work)")
    assert forked.run_in_fork(lambda: 7, "a.onnx") == 7


@pytest.mark.parametrize("texts", [["{}", "{}"], ["[" * 100_000], ["[1]"], ['{"x": "y"}']])
def test_updates_in_the_metadata_may_be_broken(tmp_path: Path, texts: list[str]) -> None:
    made = model([relu()])
    for text in texts:
        made.metadata_props.add(key=onnx_read.UPDATES, value=text)
    with pytest.raises(FormatError, match="no JSON object of output numbers") as caught:
        graph_files.load(stored(made, tmp_path))
    assert len(str(caught.value)) < 500


def test_an_input_that_should_be_a_real_number_may_be_complex(tmp_path: Path) -> None:
    whole = [helper.make_tensor_value_info(name, TensorProto.INT32, [3]) for name in "xy"]
    least = helper.make_tensor("low", TensorProto.COMPLEX64, [], [1.0])
    made = helper.make_graph([node("Clip", ["x", "low"], ["y"])], "g", whole[:1], whole[1:], [least])
    graph = graph_files.load(stored(helper.make_model(made, opset_imports=OPSET), tmp_path))
    assert graph.nodes[0].opaque


SCATTER = node("ScatterElements", ["x", "places", "x"], ["y"], axis=0, reduction="'; DROP TABLE cases;--")


@pytest.mark.parametrize(
    "made",
    [
        model([node("Gather", ["x", "index"], ["y"])], initializer=[constant("index", [7])]),  # it is beyond x
        model(
            [SCATTER], producer=PRODUCER, initializer=[constant("places", [0, 0, 0])]
        ),  # not brought to a normal form
    ],
    ids=["an index", "a mode"],
)
def test_a_model_without_a_value_is_refused(tmp_path: Path, made: ModelProto) -> None:
    assert "it has no value on random inputs: node y = " in refusal(stored(made, tmp_path), command="rewrite")


@pytest.mark.parametrize("producer", ["", PRODUCER])
def test_a_creator_is_a_constant_whoever_the_model_claims_to_be_from(tmp_path: Path, producer: str) -> None:
    fill = numpy_helper.from_array(np.array([0.5], np.float32))
    nodes = [node("ConstantOfShape", ["sizes"], ["w"], value=fill), node("Add", ["x", "w"], ["y"])]
    made = model(nodes, producer=producer, initializer=[constant("sizes", [3])])
    graph = graph_files.load(stored(made, tmp_path))
    assert [one.op for one in graph.nodes] == ["Add"]
    assert graph.constants["w"].tolist() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("operator", "attributes"),
    [("Cast", {"to": TensorProto.FLOAT}), ("Softmax", {"axis": 0}), ("Elu", {"alpha": 1.0})],
)
def test_an_attribute_of_another_type_makes_a_node_opaque(
    tmp_path: Path, operator: str, attributes: dict[str, object]
) -> None:
    """ONNX's checker skips a node where no opset of the model tells its version."""
    odd = node(operator, ["x"], ["y"], **attributes)
    odd.attribute[0].type = AttributeProto.FLOATS
    made = model([odd])
    made.opset_import[0].domain = " "
    assert graph_files.load(stored(made, tmp_path)).nodes[0].opaque


def test_an_error_of_an_evaluation_steers_no_terminal(tmp_path: Path) -> None:
    pad = node("Pad", ["x", "pads"], ["y"], mode="a\x1b[31mred")
    made = model([pad], [2], PRODUCER, initializer=[constant("pads", [1, 0])])
    with pytest.raises(NotChecked, match="the model has no value on these inputs: node y = Pad") as caught:
        check(stored(made, tmp_path), [np.ones(2, np.float32)], compiler="numpy")
    assert "a\\x1b[31mred" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_normalization_over_channels_needs_channels() -> None:
    with pytest.raises(ShapeMismatch):
        infer(TABLE["", "LRN"], [TensorType("float32", (3,))], {"size": 1, "alpha": 1e-4, "beta": 0.75, "bias": 1.0})


def test_inputs_of_another_rank_are_refused(tmp_path: Path) -> None:
    path = stored(model([relu()]), tmp_path)
    with Checker("numpy") as checker, pytest.raises(SuiteError, match="the model takes float32"):
        checker.check(path, {"x": np.zeros((3, 1), np.float32)})


def test_a_model_that_needs_too_much_for_its_evaluation_is_refused(tmp_path: Path) -> None:
    weights = helper.make_tensor_value_info("w", TensorProto.FLOAT, [64, 64, 31, 31])
    conv = node("Conv", ["x", "w"], ["y"], kernel_shape=[31, 31], pads=[15] * 4)
    graph = helper.make_graph([conv], "g", [value("x", [1, 64, 512, 512]), weights], [value("y", [1, 64, 512, 512])])
    path = stored(helper.make_model(graph, opset_imports=OPSET), tmp_path)
    message = refusal(path, "--read-memory", 2, command="rewrite", cwd=tmp_path)
    assert "cannot be evaluated in 2 GiB of memory" in message


def test_divisors_of_a_large_size_are_found_quickly() -> None:
    for n in range(1, 200):
        assert factors(n) == [d for d in range(1, n + 1) if n % d == 0]
    assert len(factors(1 << 40)) == 41


def test_the_process_that_reads_collects_no_garbage_of_this_one() -> None:
    class Waiting:
        def __init__(self) -> None:
            self.cycle = self
            self.process = os.getpid()

        def __del__(self) -> None:
            if os.getpid() != self.process:
                threading.Event().wait()

    Waiting()
    with reading_within(ReadLimits(seconds=1)):
        assert forked.run_in_fork(gc.collect, "a.onnx") == 0
    assert gc.isenabled()


def test_a_fault_of_our_own_is_no_error_of_the_model() -> None:
    with pytest.raises(forked.Defect, match="KeyError: 'x'"):
        forked.run_in_fork(lambda: {}["x"], "a.onnx")


def external(folder: Path, location: str, **numbers: int) -> Path:
    tensor = TensorProto(name="w", dims=[3], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    for key, text in {"location": location, **{k: str(n) for k, n in numbers.items()}}.items():
        tensor.external_data.add(key=key, value=text)
    return stored(model([node("Add", ["x", "w"], ["y"])], initializer=[tensor]), folder)


def test_external_data_come_only_from_the_folder_of_the_model(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for place in (folder, tmp_path):
        np.arange(3, dtype=np.float32).tofile(place / "weights")
    (folder / "link").symlink_to(tmp_path / "weights")
    os.mkfifo(folder / "pipe")
    (array,) = graph_files.load(external(folder, "weights")).constants.values()
    assert array.tolist() == [0, 1, 2]
    for location, words in (
        ("../weights", "outside of the model's folder"),
        (str(tmp_path / "weights"), "outside of the model's folder"),
        ("link", "outside of the model's folder"),
        ("absent", "cannot be read"),
        ("pipe", "is no ordinary file"),
        (".", "is no ordinary file"),
    ):
        with pytest.raises(FormatError, match=words):
            graph_files.load(external(folder, location))
    for numbers in ({"offset": 8}, {"length": 2**40}, {"offset": 2**40, "length": 12}):
        with pytest.raises(FormatError, match=r"has 12 bytes|cannot be read"):
            graph_files.load(external(folder, "weights", **numbers))


def test_a_model_and_its_data_may_be_links_into_one_folder(tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshot"
    blobs.mkdir()
    snapshot.mkdir()
    np.arange(3, dtype=np.float32).tofile(blobs / "b")
    external(blobs, "weights").rename(blobs / "a")
    (snapshot / "model.onnx").symlink_to("../blobs/a")
    (snapshot / "weights").symlink_to("../blobs/b")
    assert len(load_model(snapshot / "model.onnx").graph.initializer[0].raw_data) == 12


def test_what_is_no_ordinary_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.onnx")
    for path in (tmp_path / "pipe.onnx", Path("/dev/zero"), tmp_path):
        with pytest.raises(FormatError, match="cannot be read"):
            graph_files.load(path)
    (tmp_path / "large").write_bytes(bytes(100))
    with pytest.raises(TooLarge):
        bounded_bytes(tmp_path / "large", 99)


def constant(name: str, values: object) -> TensorProto:
    return numpy_helper.from_array(np.array(values), name)
