"""Write the sample of a regression suite in ``artifacts/suite-sample``: five cases without the harness.

``python scripts/suite_sample.py [FOLDER]`` replaces the cases in the folder. A test compares them with a new build.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "artifacts/suite-sample"

BUILD = ("suite", "build", "--count", "5", "--seed", "2026", "--compiler", "onnxruntime", "--out")
"""The command line that builds the whole suite; the folder follows."""


def cases(suite: Path) -> list[Path]:
    """Return the folders of a suite's cases, in order."""
    return sorted(suite.glob("case-*"))


def replace(sample: Path) -> None:
    """Build the suite, and replace the cases of ``sample`` by its cases. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder, "suite")
        subprocess.run([sys.executable, "-m", "polyjuice", *BUILD, suite], check=True)
        for case in cases(sample):
            shutil.rmtree(case)
        for case in cases(suite):
            shutil.copytree(case, sample / case.name)


if __name__ == "__main__":
    replace(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE)
