"""Real architectures as seeds: they keep their meaning, rewriting is sound, and compilers accept them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto

from polyjuice.egraph import Rewriter, distinct, graph_windows, load, operator_count
from polyjuice.equivalence import difference
from polyjuice.frameworks.limits import ReadLimits, reading_within
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.inputs import make_inputs
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, digest
from polyjuice.numerics import analyse
from tests.support.commands import fuzz
from tests.support.libraries import library
from tests.support.light_models import LARGE_MODELS, LIGHT, SMALL_MODELS
from tests.support.shares import in_the_long_run

torch = library("torch")
torch_export = library("polyjuice.frameworks.torch.export")


TRANSFORMERS = ("llama", "bert", "gpt2", "vit", "t5", "whisper")
"""The functions of tests/support/models.py. Its import of the library takes longer than one of its models."""


@pytest.fixture(scope="module")
def rewriter() -> Rewriter:
    return Rewriter(load())


@pytest.mark.parametrize("name", ["llama", *in_the_long_run(*TRANSFORMERS[1:])])
def test_a_transformer_is_read_and_rewritten_as_it_is(name: str, rewriter: Rewriter) -> None:
    """Its results can be compared: if a bound were infinite everywhere, it would hide every miscompilation."""
    pytest.importorskip("transformers")
    from tests.support import models

    model, example = getattr(models, name)()
    graph = torch_export.from_module(model, example)
    assert not [str(node) for node in graph.nodes if node.opaque]
    assert digest(from_model(ModelProto.FromString(to_model(graph).SerializeToString()))) == digest(graph)

    rng = np.random.default_rng(0)
    inputs = [  # others of the same types
        rng.standard_normal(t.shape, np.float32)
        if t.is_floating_point()
        else rng.integers(0, models.VOCABULARY, t.shape)
        for t in example
    ]
    with torch.no_grad():
        expected = model(*map(torch.tensor, inputs)).numpy()
    (analysis,) = analyse(graph, inputs)
    assert np.isfinite(analysis.bound).all()
    assert np.ptp(expected) > 0.01
    np.testing.assert_allclose(evaluate(graph, inputs)[0], expected, rtol=1e-5, atol=1e-5)

    rewriting = graph_windows.rewrite(rewriter, graph, 0)
    low, high = distinct(rewriting.variants)
    assert low.operators <= operator_count(graph) <= high.operators
    for variant in (low, high):
        assert difference(graph, variant.graph, [inputs]) == ""
        np.testing.assert_allclose(evaluate(variant.graph, inputs)[0], expected, rtol=1e-4, atol=1e-4)


def light_model(name: str) -> Graph:
    """The model with random weights instead of equal ones, small enough that activations stay near 1."""
    with reading_within(ReadLimits(elements=2**27)):  # VGG has a matrix of 10**8 elements
        graph = graph_files.load(LIGHT / f"light_{name}.onnx")
    rng = np.random.default_rng(0)
    weights = {
        key: (rng.standard_normal(array.shape) * (2 / max(1, np.prod(array.shape[1:]))) ** 0.5).astype(array.dtype)
        for key, array in graph.constants.items()
        if array.dtype == np.float32 and array.ndim > 1
    }
    return Graph(graph.inputs, {**graph.constants, **weights}, graph.nodes, graph.outputs, graph.types, graph.opsets)


@pytest.mark.parametrize("name", ["squeezenet", *in_the_long_run(*LARGE_MODELS, "shufflenet")])
def test_a_light_model_is_rewritten(name: str, rewriter: Rewriter) -> None:
    graph = light_model(name)
    rewriting = graph_windows.rewrite(rewriter, graph, random.Random(name).random().hex())
    low, high = distinct(rewriting.variants)
    assert low.operators <= operator_count(graph) <= high.operators
    inputs = [make_inputs(graph, "normal", 0)]
    assert [difference(graph, variant.graph, inputs) for variant in (low, high)] == ["", ""]


@pytest.mark.long
@pytest.mark.parametrize(
    ("compiler", "source"),
    [
        *((c, f"tests.support.models:{name}") for c in ("onnxruntime", "inductor") for name in TRANSFORMERS),
        *(("onnxruntime", str(LIGHT / f"light_{name}.onnx")) for name in (*SMALL_MODELS, *LARGE_MODELS)),
    ],
)
def test_a_model_is_fuzzed(compiler: str, source: str, tmp_path: Path) -> None:
    status, summary = fuzz(tmp_path / "out", "--compiler", compiler, "--seeds", source, "-n", 1)
    assert status in (0, 1)
    assert (summary["tested"], summary["unsound_variants"]) == (1, 0)
