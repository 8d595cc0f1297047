"""Test old releases of the frameworks, each in a separate environment, by ``polyjuice fuzz --python``.

Run with ``make test-old``, or as ``python scripts/old_versions.py [-n CASES] [--folder DIR] [NAME ...]``. Pip makes the
environments in the folder, where they stay.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.published.environments import interpreter

RELEASES = {
    "onnxruntime-1.17": ("onnxruntime", "1.17.3"),
    "onnxruntime-1.20": ("onnxruntime", "1.20.1"),
    "tensorflow-2.15": ("xla", "2.15.1"),
}
"""The compiler and the release of its package, by name."""


def main() -> int:
    """Run a short campaign on each release, and return the exit status: 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RELEASES)}; all unless given")
    parser.add_argument("-n", type=int, default=30, help="cases for each")
    parser.add_argument("--folder", type=Path, default=Path(".old"), help="where the environments are kept")
    options = parser.parse_args()
    failed = []
    for name in options.names or RELEASES:
        compiler, release = RELEASES[name]
        python = interpreter(compiler, release, options.folder)
        command = [sys.executable, "-m", "polyjuice", "fuzz", "--compiler", compiler, "--python", str(python)]
        done = subprocess.run([*command, "-n", str(options.n), "--json"], stdout=subprocess.PIPE, text=True)
        summary = json.loads(done.stdout) if done.returncode in (0, 1) else {}
        print(name, summary or f"status {done.returncode}")
        if not summary or summary["tested"] < options.n or summary["unsound_variants"]:
            failed.append(name)
    print("failed:", ", ".join(failed) or "none")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
