"""Parts of reports: stack traces, a compiler's environment, and indices of unique extrema."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.triage.environment import collect_env, kept
from polyjuice.triage.report.fault import cut_output, cut_stack
from polyjuice.triage.report.values import chosen_once


def frame(path: str, name: str) -> str:
    return f'  File "{path}", line 7, in {name}\n    {name}()\n    ~~~~^^\n'


def test_a_stack_has_the_innermost_frames_of_the_compiler_alone() -> None:
    own = frame("polyjuice/execution/worker.py", "_whole")
    dispatch = "".join(frame("/venv/lib/site-packages/torch/_dynamo/eval.py", f"dispatch{n}") for n in range(9))
    inner = "".join(frame("/venv/lib/site-packages/torch/_inductor/graph.py", f"lower{n}") for n in range(6))
    lines = cut_stack(f"Traceback (most recent call last):\n{own}{dispatch}{inner}ValueError: no\n").splitlines()
    assert lines[:4] == [
        "Traceback (most recent call last):",
        "  ... 10 frames",
        '  File "torch/_inductor/graph.py", line 7, in lower0',
        "    lower0()",
    ]
    assert lines[-1] == "ValueError: no"
    assert not any("polyjuice" in line or "^" in line for line in lines)


def test_each_of_a_chain_of_errors_is_cut() -> None:
    one = "Traceback (most recent call last):\n" + "".join(frame("torch/a.py", f"f{n}") for n in range(10)) + "E: 1\n"
    lines = cut_stack(f"{one}\nThe above exception was the direct cause of the following exception:\n\n{one}")
    assert lines.count("  ... 4 frames") == 2
    assert lines.count("E: 1") == 2


def test_a_dead_process_tells_its_innermost_frames_first() -> None:
    frames = "".join(f'  File "onnxruntime/x.py", line {n} in f{n}\n' for n in range(9))
    lines = cut_stack(f"Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n{frames}")
    assert lines.splitlines()[-1] == "  ... 3 frames"
    assert "in f0" in lines
    assert "in f8" not in lines


def test_long_lines_and_long_outputs_lose_what_is_between() -> None:
    lines = cut_output("\n".join([f"line {n}" for n in range(100)] + ["x" * 5000])).splitlines()
    assert len(lines) == 25
    assert "... 77 lines" in lines
    assert len(lines[-1]) < 400


COLLECTED = """Collecting environment information...
PyTorch version: 2.13.0+cpu
CUDA used to build PyTorch: Could not collect
OS: Debian (x86_64)

Model name:                              AMD EPYC
Flags:                                   fpu avx2 fma avx512f
Vulnerability Spectre v1:                Mitigation
[pip3] numpy==2.4.6
[pip3] secret-package==1
"""


def test_an_environment_is_reported_without_what_says_nothing() -> None:
    assert kept(COLLECTED).splitlines() == [
        "PyTorch version: 2.13.0+cpu",
        "OS: Debian (x86_64)",
        "Model name: AMD EPYC",
        "[pip3] numpy==2.4.6",
        "Vector instructions: avx2 avx512f",
    ]


def test_an_interpreter_without_torch_has_no_environment() -> None:
    assert collect_env("no-such-python") == ""
    assert collect_env.__wrapped__(f"{sys.executable}-none") == ""


@pytest.mark.parametrize(
    ("values", "sentence"), [([0, 3, 1], "The maximum is unique: only one index is right."), ([3, 3, 1], "")]
)
def test_an_index_is_said_to_be_the_only_right_one_where_it_is(values: list[int], sentence: str) -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (3,)))
    graph = build.build([build.op("ArgMax", x, axis=0, keepdims=0), build.op("Neg", x)])
    inputs = [np.array(values, np.float32)]
    assert chosen_once(graph, inputs, 0) == sentence
    assert chosen_once(graph, inputs, 1) == ""
