"""Torch programs of users that write into inputs and buffers, and compilers that get such writes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from polyjuice.execution import LoweringChoices
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.frameworks.split import graph_of, split_program
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, with_outputs
from polyjuice.triage.reduction.edits import rebuild, tidy
from polyjuice.triage.reduction.trial import Pair
from tests.support.commands import polyjuice, record
from tests.support.libraries import library
from tests.support.plugins import plugin
from tests.support.shares import in_the_long_run

torch = library("torch")
modules = library("tests.support.torch_modules")
printer = library("polyjuice.frameworks.torch.user_printer")
torch_export = library("polyjuice.frameworks.torch.export")
torch_program = library("polyjuice.frameworks.torch.user_program")


def after(model: torch.nn.Module, *inputs: Any) -> list[np.ndarray]:
    """The results of a module, then the final values of its inputs and buffers."""
    copies = [x.clone() for x in inputs]
    returned = model(*copies)
    return [printer.array_of(x) for x in (*returned, copies[1], *(model.cache, model.steps))]


def test_an_imported_program_gives_what_inputs_and_buffers_hold_in_the_end(tmp_path: Path) -> None:
    """The program is a module, an exported program, a file, or a graph."""
    torch.export.save(
        torch.export.export(modules.Stateful(), (modules.FIRST, modules.SECOND)), tmp_path / "stateful.pt2"
    )
    wanted = after(modules.Stateful(), modules.FIRST, modules.SECOND)
    imported = [
        torch_program.from_module(modules.Stateful(), (modules.FIRST, modules.SECOND)),
        torch_program.load(str(tmp_path / "stateful.pt2")),
    ]
    for number, program in enumerate(imported):
        assert program.graph.updates == {"y": 2}
        assert program.artifact
        assert program.artifact.setup == {"updates": [[2, 1], [3, 2], [4, 3]]}
        assert len(program.artifact.arguments) == 2
        for found in (
            printer.run(program.artifact, [modules.FIRST.clone(), modules.SECOND.clone()]),
            evaluated(program.graph, modules.FIRST, modules.SECOND),
        ):
            for a, b in zip(map(np.asarray, found), wanted, strict=True):
                np.testing.assert_array_equal(a, b)
        files.save(tmp_path / "kept", str(number), [program])
        (kept,) = files.load(tmp_path / "kept", str(number))
        assert kept.artifact
        assert kept.artifact.arguments == program.artifact.arguments
        assert kept.artifact.setup == program.artifact.setup
        assert kept.graph.updates == program.graph.updates


def evaluated(graph: Graph, *inputs: Any) -> list[np.ndarray]:
    return list(evaluate(from_model(to_model(graph)), [x.numpy() for x in inputs]))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x.copy_(y + 1), None)[1],
        lambda x, y: (y.t().mul_(2), x[1:].add_(y[:3]), x.sum())[1:],
        lambda x, y: (x.zero_(), y.view(-1)[::2].fill_(3.0), y.sum(0)),
    ],
    ids=["returns nothing", "through views", "constants"],
)
def test_a_graph_updates_inputs_as_torch_does(function: Callable[..., Any]) -> None:
    copies = [modules.FIRST.clone(), modules.SECOND.clone()]
    returned = [y for y in (function(*copies) or ()) if isinstance(y, torch.Tensor)]
    program = torch_program.from_module(modules.Function(function), (modules.FIRST, modules.SECOND))
    written = [
        x for x, before in zip(copies, (modules.FIRST, modules.SECOND), strict=True) if not torch.equal(x, before)
    ]
    assert len(program.graph.updates) == len(written)
    found = evaluate(program.graph, [modules.FIRST.numpy(), modules.SECOND.numpy()])
    for a, b in zip(found, [*returned, *written], strict=True):
        np.testing.assert_allclose(a, b.numpy())
    assert program.artifact


def test_what_eager_writes_counts_where_there_is_no_graph() -> None:
    """The module has no graph because it uses complex numbers."""

    def function(x: Any, y: Any) -> Any:
        x.copy_(torch.fft.ifft(torch.fft.fft(x)).real + 1)
        return y + 1

    program = torch_program.from_module(modules.Function(function), (modules.FIRST, modules.SECOND))
    assert program.unread
    assert program.artifact
    assert program.artifact.setup == {"updates": [[1, 0]]}
    _, written = printer.run(program.artifact, [modules.FIRST.clone(), modules.SECOND.clone()])
    torch.testing.assert_close(written, modules.FIRST + 1)
    assert len(program.graph.outputs) == 2


def test_statistics_that_a_kernel_writes_without_saying_so_are_buffers_that_are_written() -> None:
    """Batch normalization does not change the version counters of its running statistics."""
    model = torch.nn.BatchNorm1d(3)
    program = torch_program.from_module(model, (modules.FIRST,))
    assert program.artifact
    found = printer.run(program.artifact, [modules.FIRST.clone()])
    model(modules.FIRST)
    held = (model.num_batches_tracked, model.running_mean, model.running_var)
    for a, b in zip(found[1:], held, strict=True):
        torch.testing.assert_close(a, b)


def test_a_program_that_writes_is_split_with_its_updates() -> None:
    """The reduced program takes buffers as inputs. If an update is no longer an output, the program still writes it."""
    artifact = torch_program.from_module(modules.Stateful(), (modules.FIRST, modules.SECOND)).artifact
    assert artifact
    split = split_program(artifact, [modules.FIRST.numpy(), modules.SECOND.numpy()])
    assert split.graph.inputs == ("x", "y", "cache", "steps")
    assert [*split.graph.updates] == ["y", "cache", "steps"]
    start = Pair(graphs=(split.graph,), inputs=split.inputs, output=0, choices=(LoweringChoices(),))

    def with_results(*places: int) -> Pair:
        return tidy(start.with_graphs([rebuild(with_outputs(split.graph, places))]))

    one = with_results(2)
    assert (one.graphs[0].returned, [*one.graphs[0].updates]) == ((), ["y"])
    program = split.artifact(one.graphs[0], one.inputs)
    graph = graph_of(program, one.inputs)
    assert graph.updates == {"y": 0}
    for found in (printer.run(program, list(map(torch.tensor, one.inputs))), evaluate(graph, one.inputs)):
        np.testing.assert_array_equal(np.asarray(found[0]), (modules.SECOND * modules.FIRST).numpy())
    two = with_results(1, 4)
    program = split.artifact(two.graphs[0], two.inputs)
    assert "return (y,)" in str(program.source)
    assert program.setup["updates"] == [[1, two.graphs[0].inputs.index("steps")]]
    assert len(graph_of(program, two.inputs).outputs) == 2


SPOILED_INFO = {
    "format": "torch",
    "needs": "a test",
    "repro_imports": """
import copy

import torch
import torch.nn.functional as F
import spoiled_compiler
""",
    "repro": """
def prepare(model, inputs, updates=()):
    def call():
        fresh = [x if x.requires_grad else copy.deepcopy(x) for x in inputs]
        outputs = [*spoiled_compiler.Spoiled(model)(*fresh)]
        for place, number in updates:
            outputs.insert(place, fresh[number])
        return outputs

    return call
""",
}

SPOILED = """
import torch
from polyjuice.compilers import _torch
from polyjuice.compilers.eager import *
from dataclasses import replace



def compile(program, inputs):
    return replace(program, model=Spoiled(program.model))


class Spoiled(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self._orig_mod = model

    def forward(self, *inputs):
        fault = FAULTS.get(str(inputs[0].dtype).removeprefix("torch.")) if inputs else None
        return fault(self._orig_mod, inputs) if fault else self._orig_mod(*inputs)


def loses_input(model, inputs):
    return model(inputs[0], inputs[1].clone(), *inputs[2:])


def loses_buffer(model, inputs):
    return model(*inputs[:2], *(x.clone() for x in inputs[2:]))


def hands_back(model, inputs):
    y, *rest = model(*inputs)
    return (inputs[0], *rest) if torch.equal(y, inputs[0]) else (y, *rest)


def copies(model, inputs):
    return tuple(y.clone() for y in model(*inputs))


def writes(model, inputs):
    outputs = model(*inputs)
    inputs[0].view(-1)[0] += 1
    return outputs


def gives_buffer(model, inputs):
    y, z = model(*inputs)
    return y, next(model.buffers(), z)


def lays_out(model, inputs):
    return tuple(y.contiguous() for y in model(*inputs))


def turns_gradients(model, inputs):
    return tuple(2 * y.detach() - y for y in model(*inputs))


FAULTS = dict({faults})
"""
"""Torch, uncompiled, with faults. The element type of a program's inputs decides which fault it meets."""

OWNERS = """
import torch

class Owned(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("count", torch.zeros(3, dtype=dtype))

def made(cls, dtype):
    return cls(dtype), (torch.arange(6).reshape(2, 3).to(dtype), torch.ones(2, 3, dtype=dtype))
"""

OWNED = """
class Owned_{dtype}(Owned):
    def forward(self, x, s):
        {body}

def model_{dtype}(): return made(Owned_{dtype}, torch.{dtype})
"""


class Fault(NamedTuple):
    """A fault of the compiler, the body of a program that meets it, and the oracle and message that report it."""

    function: str
    body: str
    oracle: str
    message: str


ADDED = "s.add_(x); self.count += 1; return x * 2"
TRANSFORMED = "s.copy_(torch.fft.ifft(torch.fft.fft(x)).real + 1); return x * 2"
HANDED = "output 1 shares memory with w_count, which the model holds"
FAULTS = {
    "an update of an input is lost": Fault("loses_input", ADDED, "differential", "the input `s`"),
    "an update of a buffer is lost": Fault("loses_buffer", ADDED, "differential", "the buffer `count`"),
    "an update without a graph is lost": Fault("loses_input", TRANSFORMED, "differential", "the input `s`"),
    "an input is handed back": Fault("hands_back", "return x.clone(), x * 2", "alias", "shares memory with input 0"),
    "a view is copied": Fault("copies", "return x * 2, s.t()", "alias", "output 1 shares memory with input 1"),
    "an input is written": Fault("writes", "return x * 2 + s", "alias", "memory of input 0 is written"),
    "a buffer is handed out": Fault("gives_buffer", "return x * 2 + s, self.count.clone()", "alias", HANDED),
    "strides are lost": Fault("lays_out", "return (x * 2 + s).t()", "strides", "strides [2, 1], uncompiled [1, 3]"),
    "gradients are wrong": Fault(
        "turns_gradients", "return x * 2 + s", "gradient", "the gradient with respect to input"
    ),
}

_TYPES = ("float64", "int64", "float32", "int32", "float16", "int16", "int8", "uint8", "bfloat16")
TYPES = dict(zip(FAULTS, _TYPES, strict=True))
"""Each fault has an element type of its own, so that one campaign meets all.

A user's program is differentiated in one case of eight: the last fault is met in case 8.
"""


class Campaign(NamedTuple):
    """A campaign with one case for each fault: the environment with the compiler, and the findings by fault."""

    env: Mapping[str, str]
    findings: Mapping[str, Sequence[Path]]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    folder = tmp_path_factory.mktemp("faults")
    functions = ", ".join(f"{TYPES[name]}={fault.function}" for name, fault in FAULTS.items())
    env = plugin(folder / "site", base=SPOILED.replace("{faults}", functions), info=SPOILED_INFO, name="spoiled")
    bodies = {name: OWNED.replace("{dtype}", TYPES[name]).replace("{body}", FAULTS[name].body) for name in FAULTS}
    (folder / "mine.py").write_text("\n".join([OWNERS, *bodies.values()]))
    seeds = [option for name in FAULTS for option in ("--seeds", f"mine:model_{TYPES[name]}")]
    chosen = ["-n", len(FAULTS), "--workers", 1, "--triage", "0s", "--extract", "original"]
    chosen += ["--oracle", "differential,alias,strides,gradient", "--out", folder / "c"]
    done = polyjuice("fuzz", "--compiler", "spoiled", *seeds, *chosen, env=env, cwd=folder)
    assert done.returncode == 1, done.stderr
    findings: dict[str, list[Path]] = {name: [] for name in FAULTS}
    for finding in sorted((folder / "c/findings").iterdir()):
        name = list(FAULTS)[record(finding)["index"]]
        if record(finding)["oracle"] == FAULTS[name].oracle:
            findings[name].append(finding)
    return Campaign(env, findings)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_with_what_a_program_writes_or_shares_is_found_and_reproduced(name: str, campaign: Campaign) -> None:
    (finding,) = campaign.findings[name]
    stored = record(finding)
    assert FAULTS[name].message in stored["message"]
    assert (stored["a"], stored["culprit"], stored["repro_exit"]) == ("original", "original", 1), stored["printed"]
    assert ("*model.buffers()" in (finding / "repro.py").read_text()) == (name == "a buffer is handed out")


TELLING = ("an update of a buffer is lost", "an input is written", "strides are lost", "gradients are wrong")
"""A fault that each oracle finds. The long tests try the others."""

OTHERS = [name for name in FAULTS if name not in (*TELLING, "a buffer is handed out")]


@pytest.mark.parametrize("name", [*TELLING, *in_the_long_run(*OTHERS)])
def test_such_a_fault_is_replayed_and_reduced(name: str, campaign: Campaign) -> None:
    (finding,) = campaign.findings[name]
    assert polyjuice("replay", finding, env=campaign.env).returncode == 1
    reduced = polyjuice("reduce", finding, "--time", "30s", env=campaign.env)
    assert reduced.returncode == 1, reduced.stdout + reduced.stderr
    smaller = record(finding / "reduced")
    assert (smaller["oracle"], smaller["repro_exit"]) == (FAULTS[name].oracle, 1)
