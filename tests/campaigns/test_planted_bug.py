"""A test of the tester: Polyjuice finds a bug planted in Inductor, and its reproducer shows the bug."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.frameworks.onnx import graph_files
from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder
from tests.support.commands import ONE_RULE, fuzz

HOOK = """
import sys
from importlib.abc import MetaPathFinder


class Planter(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "torch._inductor.codegen.cpp":
            import torch._inductor.config as config

            config.cpp.inject_relu_bug_TESTING_ONLY = "accuracy"
        return None


sys.meta_path.insert(0, Planter())
"""
"""A site hook. With this setting, which is Inductor's own, compiled code computes x + 1 instead of relu(x).

The hook plants the bug as Inductor is imported, so that other processes need not import Torch.
"""


def save_model_with_relu(path: Path) -> Path:
    build = GraphBuilder()
    x, y = build.input(TensorType("float32", (3, 4))), build.input(TensorType("float32", (4,)))
    graph_files.save(build.build([build.op("Relu", build.op("Sub", x, y))]), path)
    return path


def relu_sides(finding: Path, record: dict[str, Any]) -> list[str]:
    """The labels of the sides whose programs, as the reproducer has them, call relu as a function or a module."""
    programs = (finding / "repro.py").read_text().split("class ")[1:]
    return [record[name] for name, text in zip("ab", programs, strict=True) if "relu" in text.lower()]


@pytest.fixture(scope="module")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("hook")
    (folder / "sitecustomize.py").write_text(HOOK)
    return folder


@pytest.fixture(scope="module")
def finding(hook: Path) -> Path:
    """The finding of a campaign of one case: one variant has relu, and the other (x + |x|) / 2.

    With another seed, relu may become a clamp, which the planted bug does not change.
    """
    model = save_model_with_relu(hook / "relu.onnx")
    arguments = ["--compiler", "inductor", "-n", 1, "--seed", 1, "--seeds", model]
    arguments += [*ONE_RULE, "--workers", 1]
    status, summary = fuzz(hook / "c", *arguments, env={"PYTHONPATH": str(hook)})
    assert status == 1, summary
    assert (summary["tested"], summary["raw_findings"], summary["by_kind"]) == (1, 1, {"mismatch": 1})
    assert summary["unsound_variants"] == 0
    (folder,) = (hook / "c/findings").iterdir()
    return folder


@pytest.mark.long
def test_the_planted_bug_is_found_and_blamed_on_the_variant_with_relu(finding: Path) -> None:
    record = json.loads((finding / "finding.json").read_text())
    assert (record["kind"], record["compiler"], record["index"]) == ("mismatch", "inductor", 0)
    assert relu_sides(finding, record) == [record["culprit"]]
    assert record["repro_exit"] == 1


@pytest.mark.long
def test_the_reproducer_shows_the_bug_with_the_hook_and_not_without(finding: Path, hook: Path) -> None:
    """The two runs are at the same time, because each takes a while."""
    planted, plain = (
        subprocess.Popen(
            [sys.executable, "repro.py"],
            cwd=finding,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **env},
        )
        for env in ({"PYTHONPATH": str(hook)}, {})
    )
    output, error = planted.communicate(timeout=300)
    assert planted.returncode == 1, error
    assert "elements, by up to" in output
    output, error = plain.communicate(timeout=300)
    assert plain.returncode == 0, error
    assert "differ at 0 of" in output


@pytest.mark.long
def test_the_reproducer_ends_with_2_where_torch_is_missing(finding: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    (packages,) = (tmp_path / "bare/lib").glob("python*/site-packages")
    for source in Path(np.__file__).parents[1].glob("numpy*"):
        (packages / source.name).symlink_to(source)
    done = subprocess.run(
        [tmp_path / "bare/bin/python", "repro.py"], cwd=finding, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert done.stdout == "could not run: No module named 'torch'\n"
