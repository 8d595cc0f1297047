"""The faults of benchmarks/mutants and their demonstrations."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from polyjuice.compilers import CompilerInfo, find
from polyjuice.execution import Probe, probe

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = ROOT / "benchmarks/mutants"
SITE = MUTANTS / "site"
SPLIT_UNEVEN = {"PYTHONPATH": str(SITE), "POLYJUICE_MUTANT": "onnxruntime/split-uneven"}


def demos(compiler: str) -> ModuleType:
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return importlib.import_module(f"benchmarks.mutants.demos.{compiler}")


@cache
def answer_of(compiler: str) -> Probe:
    return probe(compiler)


def usable(compiler: str) -> CompilerInfo:
    answer = answer_of(compiler)
    if not answer["available"]:
        pytest.skip(answer["reason"])
    return find(compiler)
