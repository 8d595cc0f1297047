"""Old releases of the frameworks, each in an environment of its own, tested through ``polyjuice fuzz --python``.

Run with ``make test-old``, or as ``python tests/old_versions.py [-n CASES] [--folder DIR] [NAME ...]``. Environments
are made by pip in the folder and kept. Old releases of PyTorch are not among them: on Linux, PyPI has builds with
CUDA only, which are gigabytes; give one that you have with ``polyjuice fuzz --compiler inductor --python PATH``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Release:
    """An old release: the compiler that it is for, and what pip installs."""

    compiler: str
    requirements: tuple[str, ...]


RELEASES = {
    "onnxruntime-1.17": Release("onnxruntime", ("onnxruntime==1.17.3", "numpy<2")),
    "onnxruntime-1.20": Release("onnxruntime", ("onnxruntime==1.20.1",)),
    "tensorflow-2.15": Release("xla", ("tensorflow-cpu==2.15.1",)),
}


def interpreter(folder: Path, release: Release) -> Path:
    """The Python of the environment, which is made if it is not there."""
    python = folder / "bin" / "python"
    ready = folder / ".ready"
    if not ready.exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *release.requirements], check=True)
        ready.touch()
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RELEASES)}; all unless given")
    parser.add_argument("-n", type=int, default=30, help="cases for each")
    parser.add_argument("--folder", type=Path, default=Path(".old"), help="where the environments are kept")
    options = parser.parse_args()
    failed = []
    for name in options.names or RELEASES:
        release = RELEASES[name]
        python = interpreter((options.folder / name).absolute(), release)
        command = [sys.executable, "-m", "polyjuice", "fuzz", "--compiler", release.compiler, "--python", str(python)]
        done = subprocess.run([*command, "-n", str(options.n), "--json"], stdout=subprocess.PIPE, text=True)
        summary = json.loads(done.stdout) if done.returncode in (0, 1) else {}
        print(name, summary or f"status {done.returncode}")
        if not summary or summary["tested"] < options.n or summary["unsound_variants"]:
            failed.append(name)
    print("failed:", ", ".join(failed) or "none")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
