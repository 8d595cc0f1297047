"""PyTorch's two compilers, eager and Inductor, on one small model."""

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from polyjuice.compilers import VARIABLE
from polyjuice.execution import Artifact, Limits, Worker
from polyjuice.session import CompilerSession, Conditions
from tests.support.compilers import usable
from tests.support.libraries import needs

needs("torch")

MODEL = """
import inspect
import torch

class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("scale", arrays["scale"])
        assert "register_buffer" in inspect.getsource(Model.__init__)

    def forward(self, x, n):
        return torch.relu(x) + 1, torch.neg(x.to(torch.bfloat16)) * self.scale, n.sum(), n > 1
"""

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
INPUTS = [X, np.arange(4)]
ARTIFACT = Artifact(format="torch", source=MODEL, arrays={"scale": np.array(0.5, ml_dtypes.bfloat16)})
EXPECTED = (np.maximum(X, 0) + 1, -X.astype(ml_dtypes.bfloat16) / 2, np.array(6), np.arange(4) > 1)

LIMITS = Limits(compile_s=120)


def assert_same(actual, expected):
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.fixture(scope="module")
def eager():
    with Worker(usable("eager"), limits=LIMITS) as worker:
        yield worker


@pytest.fixture(scope="module")
def inductor():
    with Worker(usable("inductor"), limits=LIMITS) as worker:
        yield worker


def test_both_agree_with_numpy(eager, inductor):
    for worker in (eager, inductor):
        outcome = worker.execute(ARTIFACT, [INPUTS])
        assert outcome.status == "ok", outcome.traceback
        assert_same(outcome.outputs[0], EXPECTED)
        assert_same(outcome.reference[0], EXPECTED)
    assert "pattern_matcher" in inductor.info["knobs"]


def test_models_of_one_process_do_not_mix(inductor):
    other = replace(ARTIFACT, source=MODEL.replace("+ 1", "+ 2"))
    np.testing.assert_array_equal(inductor.execute(other, [INPUTS]).outputs[0][0], EXPECTED[0] + 1)
    assert_same(inductor.execute(ARTIFACT, [INPUTS]).outputs[0], EXPECTED)


@pytest.mark.parametrize("source", ["", "class Model:", MODEL.replace("relu", "no_such_function")])
def test_a_model_that_torch_refuses_is_unsupported(eager, source):
    assert eager.execute(Artifact(format="torch", source=source), [INPUTS]).status == "unsupported"


UNSUPPORTED = {
    "captured": ("torch.relu(x)", "torch._dynamo.graph_break() or x", {}),
    **{
        dtype: ("n.sum()", f"torch.where(n > 1, n.to(torch.{dtype}), n.to(torch.{dtype})).float()", {})
        for dtype in ("uint16", "uint32", "uint64", "float8_e4m3fn")
    },
    "no derivative": ("torch.relu(x) + 1", "torch.floor_divide(torch.relu(x) * 3, 2)", {"mode": "grad"}),
    "no derivative in place": ("torch.relu(x) + 1", "torch.relu(x).asinh_()", {"mode": "grad"}),
    "needed and overwritten": ("torch.relu(x) + 1", "torch.relu(x).mul_(3)", {"mode": "grad"}),
    "read on the host": ("torch.relu(x) + 1", "x.take(n[1])", {"mode": "grad"}),
}
"""What Dynamo or Inductor says that it does not support, what Torch cannot differentiate, and what runs uncompiled."""


@pytest.mark.parametrize(("text", "other", "setup"), UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_what_inductor_does_not_support_is_unsupported(inductor, text, other, setup):
    artifact = replace(ARTIFACT, source=MODEL.replace(text, other), setup=setup)
    outcome = inductor.execute(artifact, [INPUTS])
    assert (outcome.status, outcome.stage) == ("unsupported", "compile"), outcome.message
    assert ("is not supported" in outcome.message) or "to(torch." not in other


def test_what_inductor_fails_at_without_saying_so_is_an_error(inductor):
    """The bug is number 084: the lowering of `pow` accepts no symbolic exponent."""
    source = MODEL.replace("n.sum()", "n ** x.shape[0]").replace("n > 1", "n > x.shape[1]")
    outcome = inductor.execute(replace(ARTIFACT, source=source, setup={"dynamic": True}), [INPUTS])
    assert (outcome.status, outcome.stage) == ("error", "compile"), outcome.message
    assert "aten::pow()" in outcome.message


@pytest.mark.long  # as are bisections of Inductor, which switch single knobs off
def test_inductor_with_knobs_off():
    options = {"disable": ["pattern_matcher", "max_fusion_size", "cpp.enable_tiling_heuristics"]}
    with Worker(usable("inductor"), limits=LIMITS, options=options) as worker:
        outcome = worker.execute(ARTIFACT, [INPUTS])
    assert outcome.status == "ok", outcome.traceback
    assert_same(outcome.outputs[0], EXPECTED)


@pytest.mark.long
def test_a_variable_among_the_knobs_leaves_torch_fewer_instructions():
    told = []
    for disabled in ((), ("variable ATEN_CPU_CAPABILITY=default",)):
        with CompilerSession(Conditions(), usable("inductor"), disabled) as session:
            session.worker().start()
            told.append([knob for knob in session.worker().info["knobs"] if knob.startswith(VARIABLE)])
    if not told[0]:
        pytest.skip("Torch has no wider instructions here")
    assert told[0][-1] == "variable ATEN_CPU_CAPABILITY=default"
    assert not told[1]


def test_what_inductor_did_is_traced():
    source = (
        "import torch\n\nclass Model(torch.nn.Module):\n    def __init__(self, arrays):\n        super().__init__()\n"
    )
    source += "\n    def forward(self, x, n):\n        return torch.relu(x.permute(1, 0).permute(1, 0)) {0},\n"
    with Worker(usable("inductor"), limits=LIMITS, options={"trace": True}) as worker:
        first, second = (
            worker.execute(Artifact(format="torch", source=source.replace("{0}", end)), [INPUTS]).trace
            for end in ("+ 1", "* x + x")
        )
    assert {"pattern pointless_permute_pair", "pass pattern_matcher", "pattern_matcher_count=1"} <= set(first)
    assert [entry for entry in first if entry.startswith("kernel cpp_fused_add_") and "_relu" in entry]
    assert [entry for entry in second if entry.startswith("kernel cpp_fused_add_mul_")]
    assert not [entry for entry in second if entry in first and entry.startswith("kernel")]


def test_releases_that_ask_nobody_are_asked_about_decompositions_and_lowerings(monkeypatch):
    """Torch releases before 2.6 have no bisector. The test looks up the same places in the installed release."""
    import torch
    import torch._inductor.compile_fx as compile_fx
    import torch._inductor.graph as inductor_graph
    from torch._inductor.virtualized import V
    from torch.fx.experimental.proxy_tensor import make_fx

    from polyjuice.compilers import _inductor_knobs as knobs

    monkeypatch.setattr(compile_fx, "select_decomp_table", compile_fx.select_decomp_table)
    monkeypatch.setattr(inductor_graph, "fallback_node_due_to_unsupported_type", lambda *_, **__: False)
    monkeypatch.setattr(knobs, "_off", {"decomposition aten.silu", "lowering exp"})
    monkeypatch.setattr(knobs, "_used", [])
    knobs._ask_without_bisector()

    def model(x):
        return torch.nn.functional.silu(x) + torch.nn.functional.softplus(x).exp()

    table = compile_fx.select_decomp_table()
    traced = make_fx(model, decomposition_table=table, tracing_mode="fake")(torch.ones(3))
    assert {str(node.target) for node in traced.graph.nodes} >= {"aten.silu.default", "aten.exp.default"}
    lowered = inductor_graph.GraphLowering(traced)
    with V.set_graph_handler(lowered), V.set_fake_mode(next(iter(traced.graph.nodes)).meta["val"].fake_mode):
        lowered.run(torch.ones(3))
    kernels = {str(kernel) for op in lowered.operations if (kernel := getattr(op, "op_overload", None))}
    assert kernels == {"aten.silu.default", "aten.exp.default"}
    assert {"without decomposition aten.silu", "without lowering exp", "lowering add"} <= set(knobs.used())


def test_a_release_whose_scheduler_fuses_otherwise_is_traced_without_fusions(monkeypatch):
    """An example is Torch 2.1."""
    import torch._inductor.codecache as codecache

    from polyjuice.compilers import _inductor_knobs as knobs

    class Scheduling:
        pass

    monkeypatch.setattr(codecache.PyCodeCache, "load_by_key_path", codecache.PyCodeCache.load_by_key_path)
    monkeypatch.setattr(knobs, "observer", lambda: None)
    monkeypatch.setattr(knobs, "_scheduling", lambda: Scheduling)
    knobs.trace_changes()
    assert not hasattr(Scheduling, "fuse")


TRAINED = """
import torch

class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x, y):
        return torch.copysign(x.permute(1, 0), y), torch.slice_scatter(x, y.permute(1, 0), 0, 0, 3).sum(0)
"""


def test_programs_that_are_built_together_return_their_strides_and_gradients(inductor):
    """Inductor loses the strides of ``copysign``: https://github.com/pytorch/pytorch/issues/198364."""
    program = Artifact(format="torch", source=TRAINED, setup={"mode": "grad"})
    inputs = [X, X.T.copy()]
    for outcome in inductor.execute_together([(program, [inputs], 1)] * 2):
        assert outcome.status == "ok", outcome.traceback
        (compiled,), (plain,) = outcome.memory, outcome.reference_memory
        assert (compiled.strides[0], plain.strides[0]) == ((3, 1), (1, 4))
        (found,), (reference,) = outcome.gradients, outcome.reference_gradients
        assert [*found] == [*reference] == [0, 1]
        for number, gradient in found.items():
            np.testing.assert_allclose(gradient, reference[number], rtol=1e-6)
