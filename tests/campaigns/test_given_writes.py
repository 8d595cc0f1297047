"""Torch programs of others that write into their inputs and buffers, and compilers that get that wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.ir import Graph
from tests.support.commands import polyjuice
from tests.support.plugins import plugin

torch = pytest.importorskip("torch")

from polyjuice.formats import FormatError, from_model, to_model, torch_export  # noqa: E402
from polyjuice.given import files, torch_program  # noqa: E402
from polyjuice.given.apart import graph_of, taken_apart  # noqa: E402
from polyjuice.given.torch_source import array_of, run  # noqa: E402
from polyjuice.interpret import evaluate  # noqa: E402

X, Y = torch.arange(12.0).reshape(4, 3), torch.full((4, 3), 2.0)


class Stateful(torch.nn.Module):
    """Writes into an input, into two buffers and into what it returns."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.register_buffer("cache", torch.ones(4, 3), persistent=False)

    def forward(self, x: Any, y: Any) -> Any:
        self.steps += 1
        self.cache[1:3] = x[:2]
        y.mul_(x)
        return y + self.cache, y


def after(model: torch.nn.Module, *inputs: Any) -> list[np.ndarray]:
    """What a module returns, and what the inputs and buffers hold then."""
    copies = [x.clone() for x in inputs]
    returned = model(*copies)
    return [array_of(x) for x in (*returned, copies[1], *(model.cache, model.steps))]


def test_an_imported_program_gives_what_inputs_and_buffers_hold_in_the_end(tmp_path: Path) -> None:
    """As a module, as an exported program, kept in a file, and as a graph."""
    torch.export.save(torch.export.export(Stateful(), (X, Y)), tmp_path / "stateful.pt2")
    wanted = after(Stateful(), X, Y)
    imported = [torch_program.from_module(Stateful(), (X, Y)), torch_program.load(str(tmp_path / "stateful.pt2"))]
    for number, program in enumerate(imported):
        assert program.graph.updates == {"y": 2}
        assert program.artifact
        assert program.artifact.setup == {"updates": [[2, 1], [3, 2], [4, 3]]}
        assert len(program.artifact.arguments) == 2
        for found in (run(program.artifact, [X.clone(), Y.clone()]), evaluated(program.graph, X, Y)):
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


class Function(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *tensors: Any) -> Any:
        return self.function(*tensors)


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
    copies = [X.clone(), Y.clone()]
    returned = [y for y in (function(*copies) or ()) if isinstance(y, torch.Tensor)]
    program = torch_program.from_module(Function(function), (X, Y))
    written = [x for x, before in zip(copies, (X, Y), strict=True) if not torch.equal(x, before)]
    assert len(program.graph.updates) == len(written)
    found = evaluate(program.graph, [X.numpy(), Y.numpy()])
    for a, b in zip(found, [*returned, *written], strict=True):
        np.testing.assert_allclose(a, b.numpy())
    assert program.artifact


def test_what_eager_writes_counts_where_there_is_no_graph() -> None:
    """Complex numbers are no element type of ours."""

    def function(x: Any, y: Any) -> Any:
        x.copy_(torch.fft.ifft(torch.fft.fft(x)).real + 1)
        return y + 1

    program = torch_program.from_module(Function(function), (X, Y))
    assert program.unread
    assert program.artifact
    assert program.artifact.setup == {"updates": [[1, 0]]}
    _, written = run(program.artifact, [X.clone(), Y.clone()])
    torch.testing.assert_close(written, X + 1)
    assert len(program.graph.outputs) == 2


def test_statistics_that_a_kernel_writes_without_saying_so_are_buffers_that_are_written() -> None:
    """Batch normalization leaves the versions of its running statistics as they were."""
    model = torch.nn.BatchNorm1d(3)
    program = torch_program.from_module(model, (X,))
    assert program.artifact
    found = run(program.artifact, [X.clone()])
    model(X)
    held = (model.num_batches_tracked, model.running_mean, model.running_var)
    for a, b in zip(found[1:], held, strict=True):
        torch.testing.assert_close(a, b)


def test_a_program_that_writes_is_taken_apart_with_its_updates() -> None:
    """Buffers are inputs of what is left; an update that is left out is written still, and not compared."""
    artifact = torch_program.from_module(Stateful(), (X, Y)).artifact
    assert artifact
    written = taken_apart(artifact, [X.numpy(), Y.numpy()])
    assert [*written.inputs] == ["x", "y", "cache", "steps"]
    assert written.updates == ("y", "cache", "steps")
    one = written.with_results([2])
    assert (one.outputs, one.updates) == ((), ("y",))
    graph = graph_of(one.artifact, tuple(one.inputs.values()))
    assert graph.updates == {"y": 0}
    for found in (
        run(one.artifact, list(map(torch.tensor, one.inputs.values()))),
        evaluate(graph, [*one.inputs.values()]),
    ):
        np.testing.assert_array_equal(np.asarray(found[0]), (Y * X).numpy())
    two = written.with_results([1, 4])
    assert (two.outputs, two.updates) == (("y",), ("steps",))
    assert two.artifact.setup["updates"] == [[1, [*two.inputs].index("steps")]]
    assert len(graph_of(two.artifact, tuple(two.inputs.values())).outputs) == 2


def test_a_module_that_gives_no_tensor_is_refused() -> None:
    with pytest.raises(FormatError, match="returns no tensor, and writes into none"):
        torch_export.from_module(Function(lambda x: None), (X,))


# --- findings ---------------------------------------------------------------------------------------------------------

SPOILED = '''
import torch
from polyjuice.compilers import _torch
from polyjuice.compilers.eager import *
from dataclasses import replace

FORMAT = "torch"
REPRO_IMPORTS = """
import copy

import torch
import torch.nn.functional as F
import spoiled_compiler
"""
REPRO = """
def prepare(model, inputs, updates=()):
    def call():
        fresh = [copy.deepcopy(x) for x in inputs]
        outputs = [*spoiled_compiler.Spoiled(model)(*fresh)]
        for place, number in updates:
            outputs.insert(place, fresh[number])
        return outputs

    return call
"""


def compile(program, inputs):
    return replace(program, model=Spoiled(program.model))


class Spoiled(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self._orig_mod = model

    def forward(self, *inputs):
        {fault}
'''
"""Torch, uncompiled, but for a fault."""

OWNERS = """
import torch

class Owned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x, s):
        {body}

def model(): return Owned(), (torch.arange(6.0).reshape(2, 3), torch.ones(2, 3))
"""

LOST_INPUT = "return self._orig_mod(inputs[0], inputs[1].clone(), *inputs[2:])"
LOST_BUFFER = "return self._orig_mod(*inputs[:2], *(x.clone() for x in inputs[2:]))"
HANDS_BACK = (
    "y, *rest = self._orig_mod(*inputs); return (inputs[0], *rest) if torch.equal(y, inputs[0]) else (y, *rest)"
)
COPIES = "return tuple(y.clone() for y in self._orig_mod(*inputs))"
WRITES = "outputs = self._orig_mod(*inputs); inputs[0].view(-1)[0] += 1; return outputs"

FAULTS = {
    "an update of an input is lost": (
        LOST_INPUT,
        "s.add_(x); self.count += 1; return x * 2",
        "differential",
        "output 1",
    ),
    "an update of a buffer is lost": (
        LOST_BUFFER,
        "s.add_(x); self.count += 1; return x * 2",
        "differential",
        "output 2",
    ),
    "an update without a graph is lost": (
        LOST_INPUT,
        "s.copy_(torch.fft.ifft(torch.fft.fft(x)).real + 1); return x * 2",
        "differential",
        "output 1",
    ),
    "an input is handed back": (HANDS_BACK, "return x.clone(), x * 2", "alias", "output 0 shares memory with input 0"),
    "a view is copied": (COPIES, "return x * 2, s.t()", "alias", "output 1 shares memory with input 1"),
    "an input is written": (WRITES, "return x * 2 + s", "alias", "memory of input 0 is written"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_with_what_a_program_writes_or_shares_is_found_reproduced_and_reduced(
    name: str, tmp_path: Path
) -> None:
    fault, body, oracle, message = FAULTS[name]
    env = plugin(tmp_path / "site", base=SPOILED.replace("{fault}", fault), name="spoiled")
    (tmp_path / "mine.py").write_text(OWNERS.replace("{body}", body))
    seeds = ["--seeds", "mine:model", "-n", 1, "--workers", 1, "--triage", "0s", "--extract", "original"]
    chosen = ["--oracle", "differential,alias"]
    done = polyjuice("fuzz", "--compiler", "spoiled", *seeds, *chosen, "--out", tmp_path / "c", env=env, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    found = [json.loads((folder / "finding.json").read_text()) for folder in (tmp_path / "c/findings").iterdir()]
    (said,) = [one for one in found if one["oracle"] == oracle]
    assert message in said["message"]
    assert (said["a"], said["culprit"], said["repro_exit"]) == ("original", "original", 1), said["printed"]
    finding = tmp_path / "c/findings" / said["folder"]
    assert polyjuice("replay", finding, env=env).returncode == 1
    reduced = polyjuice("reduce", finding, "--time", "30s", env=env)
    assert reduced.returncode == 1, reduced.stdout + reduced.stderr
    smaller = json.loads((finding / "reduced/finding.json").read_text())
    assert (smaller["oracle"], smaller["repro_exit"]) == (oracle, 1)


GIVES_BUFFER = "y, z = self._orig_mod(*inputs); return y, next(self._orig_mod.buffers(), z)"


def test_a_buffer_that_is_handed_out_is_found_and_reproduced(tmp_path: Path) -> None:
    env = plugin(tmp_path / "site", base=SPOILED.replace("{fault}", GIVES_BUFFER), name="spoiled")
    (tmp_path / "mine.py").write_text(OWNERS.replace("{body}", "return x * 2 + s, self.count.clone()"))
    seeds = ["--seeds", "mine:model", "-n", 1, "--workers", 1, "--triage", "0s", "--extract", "original"]
    out = tmp_path / "c"
    done = polyjuice("fuzz", "--compiler", "spoiled", *seeds, "--oracle", "alias", "--out", out, env=env, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (folder,) = (out / "findings").iterdir()
    said = json.loads((folder / "finding.json").read_text())
    assert "output 1 shares memory with w_count, which the model holds" in said["message"]
    assert said["repro_exit"] == 1, said["printed"]
    assert "*model.buffers()" in (folder / "repro.py").read_text()
