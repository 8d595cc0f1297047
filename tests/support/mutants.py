"""The faults of benchmarks/mutants and their demonstrations."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = ROOT / "benchmarks/mutants"
SITE = MUTANTS / "site"
SPLIT_UNEVEN = {"PYTHONPATH": str(SITE), "POLYJUICE_MUTANT": "onnxruntime/split-uneven"}


def demos(compiler: str) -> ModuleType:
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return importlib.import_module(f"benchmarks.mutants.demos.{compiler}")
