"""Compilers that take programs which Torch exports: its exporter to ONNX, and the importers of TVM and OpenVINO."""

import numpy as np
import pytest
from packaging.version import Version

from polyjuice.execution import Artifact, Limits, Worker
from tests.support.compilers import usable
from tests.support.libraries import needs

needs("torch")

MODEL = """
import torch

class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("scale", arrays["scale"])

    def forward(self, x, unused, n):
        y = torch.relu(x) * self.scale
        return y, n.sum(), x, n > 1
"""

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
INPUTS = [X, np.ones(2, np.float32), np.arange(4)]
ARTIFACT = Artifact(format="torch", source=MODEL, arrays={"scale": np.array([1, 2, 3, 4], np.float32)})
Y = np.maximum(X, 0) * np.array([1, 2, 3, 4], np.float32)
EXPECTED = (Y, np.array(6), X, np.arange(4) > 1)

OPERATORS_THAT_NONE_HAS = """
import torch

class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x, unused, n):
        return (torch.special.bessel_j1(x),)
"""


INPUTS_THAT_NONE_READS = """
import torch

class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, unread, x, n):
        return x.new_ones(4), n + 1
"""

TYPES_THAT_ONNX_RUNTIME_LACKS = """
import torch

class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x, unused, n):
        return (x.half().scatter_reduce(0, n[:1, None].expand(1, 4), x[:1].half(), "sum"),)
"""


@pytest.fixture(scope="module", params=("torch-onnx", "tvm-torch", "openvino-torch"))
def worker(request):
    with Worker(usable(request.param), limits=Limits(compile_s=120)) as worker:
        yield worker


def test_results_come_in_the_order_of_the_program(worker):
    outcome = worker.execute(ARTIFACT, [INPUTS])
    assert outcome.status == "ok", outcome.message
    for got, expected in zip(outcome.outputs[0], EXPECTED, strict=True):
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == expected.dtype


def test_inputs_that_nothing_reads_may_come_first(worker):
    outcome = worker.execute(Artifact(format="torch", source=INPUTS_THAT_NONE_READS, arrays={}), [INPUTS])
    assert outcome.status == "ok", outcome.message
    for got, expected in zip(outcome.outputs[0], (np.ones(4, np.float32), np.arange(4) + 1), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("setup", [{"mode": "grad"}, {"mode": "train"}, {"updates": [[0, 0]]}, {"numbers": 1}])
def test_settings_that_exported_programs_lack_are_unsupported(worker, setup):
    artifact = Artifact(format="torch", source=MODEL, arrays=ARTIFACT.arrays, setup=setup)
    assert worker.execute(artifact, [INPUTS]).status == "unsupported"


def test_an_operator_that_an_importer_lacks_is_unsupported(worker):
    outcome = worker.execute(Artifact(format="torch", source=OPERATORS_THAT_NONE_HAS, arrays={}), [INPUTS])
    assert outcome.status == "unsupported", outcome.message


def test_reproducers_run_models_and_functions(worker):
    import torch

    names = {"__name__": "reproducer"}
    exec(worker.compiler.repro_imports + worker.compiler.repro, names)
    for program in (torch.nn.ReLU(), lambda x: torch.relu(x)):
        [result] = names["prepare"](program, [torch.from_numpy(X)])()
        np.testing.assert_array_equal(result, np.maximum(X, 0))


@pytest.mark.parametrize("worker", ["torch-onnx"], indirect=True)
def test_a_type_that_a_kernel_lacks_is_unsupported(worker):
    outcome = worker.execute(Artifact(format="torch", source=TYPES_THAT_ONNX_RUNTIME_LACKS, arrays={}), [INPUTS])
    assert (outcome.status, outcome.stage) == ("unsupported", "run"), outcome.message


def test_the_version_is_one_that_lists_of_known_bugs_can_compare(worker):
    worker.start()
    assert Version(worker.info["version"]) >= Version("0.25")
