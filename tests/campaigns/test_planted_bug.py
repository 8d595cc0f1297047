"""A test of the tester: Polyjuice finds a bug planted in Inductor, and its reproducer shows the bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import ONE_RULE, fuzz, record, run, save_model

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

MODEL = """<ir_version: 9, opset_import: ["" : 18]>
    small (float[3,4] x, float[4] w) => (float[3,4] y) { s = Sub(x, w) y = Relu(s) }"""


@pytest.mark.long
def test_the_planted_bug_is_found_and_the_reproducer_shows_it_as_long_as_it_is_planted(tmp_path: Path) -> None:
    """One variant has relu, and the other (x + |x|) / 2.

    With another seed, relu may become a clamp, which the planted bug does not change.
    """
    pytest.importorskip("torch")
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    env = {"PYTHONPATH": str(tmp_path)}
    model = save_model(tmp_path / "relu.onnx", MODEL)
    arguments = ["--compiler", "inductor", "-n", 1, "--seed", 1, "--seeds", model, *ONE_RULE]
    status, summary = fuzz(tmp_path / "c", *arguments, env=env)
    assert status == 1, summary
    assert (summary["tested"], summary["raw_findings"], summary["by_kind"]) == (1, 1, {"mismatch": 1})
    assert summary["unsound_variants"] == 0
    (finding,) = (tmp_path / "c/findings").iterdir()
    stored = record(finding)
    assert (stored["kind"], stored["compiler"], stored["repro_exit"]) == ("mismatch", "inductor", 1)
    programs = (finding / "repro.py").read_text().split("class ")[1:]
    with_relu = [stored[side] for side, text in zip("ab", programs, strict=True) if "relu" in text.lower()]
    assert with_relu == [stored["culprit"]]
    done = run("repro.py", env=env, cwd=finding)
    assert (done.returncode, "elements, by up to" in done.stdout) == (1, True), done.stderr
    done = run("repro.py", env={"PYTHONPATH": ""}, cwd=finding)
    assert (done.returncode, "differ at 0 of" in done.stdout) == (0, True), done.stderr
