"""Symbolic sizes: the sizes of a model, their values on given inputs, and the values to test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, numpy_helper, parser

from polyjuice.campaign import sizes
from polyjuice.campaign.seeds import IMPORTED, Seeds, forget
from polyjuice.frameworks import symbolic
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx import user_program as onnx_program
from polyjuice.frameworks.onnx.user_program import OnnxModel

OPEN = "(float[batch,4] x, float[batch,n] z) => (float[batch,4] y) { s = ReduceMax(z) y = Add(x, s) }"


def model(text: str) -> ModelProto:
    return parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g {text}')


def chosen(text: str, key: str = "0") -> list[dict[str, int]]:
    return [dict(one) for one in sizes.chosen(OnnxModel(model=model(text)), key)]


def unnamed(text: str) -> ModelProto:
    """The model without names for its open dimensions."""
    changed = model(text)
    for value in changed.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param:
                dim.ClearField("dim_param")
    return changed


def test_a_symbol_is_one_size_wherever_it_stands_and_an_open_dimension_its_own() -> None:
    assert symbolic.symbols(model(OPEN)) == ("batch", "n")
    assert symbolic.symbols(unnamed(OPEN)) == ("x[0]", "z[0]", "z[1]")
    read = model(OPEN)
    symbolic.bind(read, {"batch": 3, "n": 5})
    shapes = [[dim.dim_value for dim in v.type.tensor_type.shape.dim] for v in (*read.graph.input, *read.graph.output)]
    assert shapes == [[3, 4], [3, 5], [3, 4]]


def test_sizes_follow_from_inputs_unless_these_contradict_each_other() -> None:
    arrays = [np.zeros((3, 4)), np.zeros((3, 7))]
    assert symbolic.sizes_of(model(OPEN), arrays) == {"batch": 3, "n": 7}
    with pytest.raises(FormatError, match=r"^mine: batch is 3 in axis 0 of x, and 2 in axis 0 of z$"):
        symbolic.sizes_of(model(OPEN), [arrays[0], np.zeros((2, 7))], "mine")


def test_the_graph_has_numbers_and_the_program_keeps_its_symbols() -> None:
    program = onnx_program.from_model(model(OPEN), sizes={"batch": 3, "n": 5})
    assert [t.shape for t in program.graph.input_types] == [(3, 4), (3, 5)]
    assert program.artifact.source == model(OPEN).SerializeToString(deterministic=True)
    assert program.artifact.idioms == ("as given", "batch = 3", "n = 5")


def test_each_symbol_takes_small_sizes_and_such_around_the_width_of_a_vector() -> None:
    found = chosen(OPEN)
    assert len(found) == sizes.MOST
    for name in ("batch", "n"):
        there = sorted(one[name] for one in found)
        assert there[:3] == [1, 2, 3]
        assert there[3] in (7, 8, 9)
        assert there[4] in (15, 16, 17)
    assert chosen(OPEN) == found
    assert chosen(OPEN, "1") != found


ONE = "(float[b,4] x) => (float[1,4] y) <int64[2] s = {1, 4}> { y = Reshape(x, s) }"
ANY = "(float[b,4] x) => (float[b,4] y) <int64[2] s = {-1, 2}> { r = Reshape(x, s) t = Shape(x) y = Reshape(r, t) }"
TO_NINE = """(float[b] x) => (float[1] y) <float[9] w = {1,2,3,4,5,6,7,8,9}, int64 zero = {0}, int64 one = {1}>
    { s = Shape(x) n = Squeeze(s) r = Range(zero, n, one) g = Gather(w, r) m = Add(x, g) y = ReduceSum(m) }"""
FROM_TWENTY = """(float[1,1,b,b] x) => (float[a] y)
    { p = AveragePool<kernel_shape = [20, 20], strides = [20, 20]>(x) y = Flatten<axis = 0>(p) }"""


@pytest.mark.parametrize(
    ("text", "least", "most"), [(ONE, 1, 1), (ANY, 1, 100), (TO_NINE, 1, 9), (FROM_TWENTY, 20, 224)]
)
def test_sizes_at_which_the_model_is_not_valid_are_left_out(text: str, least: int, most: int) -> None:
    found = {one["b"] for one in chosen(text)}
    whole = {1, 2, 3, 31, 33, 64, 100, 224} & set(range(least, most + 1))
    assert found
    assert least <= min(found)
    assert max(found) <= most
    assert found & {1, 2, 3} == whole & {1, 2, 3}


def test_a_model_that_is_valid_at_no_size_is_refused_in_a_line() -> None:
    with pytest.raises(FormatError, match=r"^[^\n]*not defined[^\n]* \(with b = \d+\)$"):
        chosen("(float[b,4] x) => (float[b,4] y) { y = Add(x, absent) }")


def test_what_would_take_long_is_left_out() -> None:
    found = chosen("(float[b,2000,2000] x) => (float[b,2000,2000] y) { y = Neg(x) }")
    assert sorted(one["b"] for one in found) == [1, 2, 3]


def test_test_data_beside_a_model_have_its_own_sizes_first_and_fit_others(tmp_path: Path) -> None:
    onnx.save(model("(float[b,2] x) => (float[b,2] y) { y = Neg(x) }"), tmp_path / "m.onnx")
    (tmp_path / "test_data_set_0").mkdir()
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    onnx.save_tensor(numpy_helper.from_array(x), tmp_path / "test_data_set_0/input_0.pb")
    read = onnx_program.load_onnx(tmp_path / "m.onnx")
    assert sizes.chosen(read, "0")[0] == {"b": 5}
    for size, rows in ((5, [0, 1, 2, 3, 4]), (3, [0, 1, 2]), (8, [0, 1, 2, 3, 4, 0, 1, 2])):
        (example,) = read.at({"b": size}).examples or ()
        np.testing.assert_array_equal(example, x[rows])


def test_a_case_has_its_model_and_sizes_by_its_index_alone(tmp_path: Path) -> None:
    """Another process that reads the campaign's folder gets the same."""
    onnx.save(model("(float[b,2] x) => (float[b,2] y) { y = Neg(x) }"), tmp_path / "a.onnx")
    onnx.save(model("(float[3] x) => (float[3] y) { y = Abs(x) }"), tmp_path / "b.onnx")
    sources = [str(tmp_path / "a.onnx"), str(tmp_path / "b.onnx")]
    first = Seeds(sources, 10, 7)
    first.keep(tmp_path)
    again = Seeds(sources, 10, 7, tmp_path)

    def shapes(seeds: Seeds) -> list[tuple[int, ...]]:
        return [seeds.graph(index, 0).input_types[0].shape for index in range(14)]

    assert shapes(first) == shapes(again)
    assert {*shapes(first)[1::2]} == {(3,)}
    assert len({*shapes(first)[::2]}) == sizes.MOST
    assert shapes(first)[0] == shapes(first)[12]
    assert shapes(Seeds(sources, 10, 8)) != shapes(first)
    forget(tmp_path)
    assert not (tmp_path / IMPORTED).exists()
