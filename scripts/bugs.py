"""Run the reproducers in artifacts/bugs on the newest release of each compiler, and compare with the list.

    python scripts/bugs.py [NUMBER ...] [--release COMPILER=VERSION] [--python COMPILER=INTERPRETER] [--write]

Run with ``make bugs``, or ``make bugs BUGS="003 017"``. Pip installs each compiler's release into a separate
environment, which is kept in ``--folder``. Or ``--python`` names an interpreter that has the compiler. The exit status
is 0 if all results agree with the list, 1 if one does not, and 2 if a reproducer could not run. ``--write`` puts the
results into the list, and makes the tables of README.md; ``--tables`` only makes the tables.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomlkit
from packaging.version import Version

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.published.environments import PACKAGES, interpreter
from scripts import bug_list
from scripts.bug_list import DEPENDS, NAMES, RIGHT, SHOWS, Bug, BugList, ListError

BESIDES = {"inductor": ("onnxscript", "onnxruntime"), "tvm": ("torch",), "openvino": ("torch",)}
"""The packages that reproducers import besides the compiler's framework, its dependencies, onnx and ml-dtypes."""

COULD_NOT_RUN = "could not run"

_STATUS = {0: RIGHT, 1: SHOWS}
"""The result by the exit status of a reproducer."""

_ASK_VERSION = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"


@dataclass(frozen=True)
class Release:
    """A compiler's release to try: the interpreter that has it, or the ``problem`` with getting one."""

    version: str
    python: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Seen:
    """The result of a reproducer: a status, or COULD_NOT_RUN with the ``problem``."""

    bug: Bug
    version: str
    status: str
    seconds: float = 0.0
    problem: str = ""

    @property
    def differs(self) -> bool:
        """Whether the list has another status."""
        listed = self.bug.status.get(self.version)
        return self.status != COULD_NOT_RUN and listed not in (self.status, DEPENDS)

    def line(self) -> str:
        """Return the result as one line."""
        what = f"{self.bug.number} {NAMES[self.bug.compiler]} {self.version}: "
        if self.status == COULD_NOT_RUN:
            return f"{what}{COULD_NOT_RUN}: {self.problem}"
        listed = self.bug.status.get(self.version, "nothing")
        verdict = f"but the list says {listed}" if self.differs else f"as listed ({listed})"
        return f"{what}{self.status}, {verdict}; {self.seconds:.0f} s: {self.bug.title}"


def main() -> int:
    """Run the reproducers, print the results, and return the exit status."""
    options = _parsed()
    try:
        bugs = bug_list.read()
        if options.tables:
            _write_tables(bugs)
            return 0
        chosen = _chosen(bugs, options.numbers)
        named, releases = _pairs(options.python, "--python"), _pairs(options.release, "--release")
    except ListError as error:
        print(f"bugs.py: {error}", file=sys.stderr)
        return 2
    seen = []
    for one in _all_seen(chosen, bugs, named, releases, options):
        print(one.line(), flush=True)
        seen.append(one)
    if options.write:
        _write(seen)
    return _summed_up(seen)


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", metavar="NUMBER", help="of a bug, as 017; all unless given")
    parser.add_argument(
        "--release",
        action="append",
        default=[],
        metavar="COMPILER=VERSION",
        help="an installed release, instead of the newest",
    )
    parser.add_argument(
        "--python", action="append", default=[], metavar="COMPILER=PATH", help="an interpreter that has it"
    )
    parser.add_argument("--folder", type=Path, default=Path(".old/bugs"), help="where environments are kept")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each reproducer")
    parser.add_argument("--write", action="store_true", help="put what was seen into the list")
    parser.add_argument("--tables", action="store_true", help="make the tables of README.md, and run nothing")
    return parser.parse_args()


def _chosen(bugs: BugList, numbers: Sequence[str]) -> list[Bug]:
    """Return the bugs with these numbers; without numbers, all. Raises ListError for an unknown number."""
    wanted = [number.zfill(3) for number in numbers]
    unknown = set(wanted).difference(bug.number for bug in bugs.bugs)
    if unknown:
        raise ListError(f"there is no bug {min(unknown)} in {bug_list.LIST}")
    return [bug for bug in bugs.bugs if not wanted or bug.number in wanted]


def _pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """Return the values of COMPILER=VALUE options, by compiler. Raises ListError."""
    pairs = dict(text.partition("=")[::2] for text in texts)
    for compiler, value in pairs.items():
        if compiler not in PACKAGES or not value:
            raise ListError(f"{option} {compiler}={value}: give COMPILER=..., with one of {', '.join(PACKAGES)}")
    return pairs


def _all_seen(
    bugs: Sequence[Bug],
    listed: BugList,
    named: Mapping[str, str],
    releases: Mapping[str, str],
    options: argparse.Namespace,
) -> Iterator[Seen]:
    """Run every reproducer, one compiler after another, and yield the results."""
    for package in dict.fromkeys(bug.package for bug in bugs):
        version = releases.get(package, listed.newest[package])
        release = _release(package, version, named.get(package, ""), options.folder)
        for bug in (bug for bug in bugs if bug.package == package):
            yield _tried(bug, release, options.timeout)


def _release(package: str, version: str, python: str, folder: Path) -> Release:
    """Return a compiler's release, installed if need be. A named interpreter decides the version itself."""
    if not python:
        print(f"{PACKAGES[package]} {version}: an environment in {folder} ...", flush=True)
        try:
            besides = ("onnx", "ml-dtypes", *BESIDES.get(package, ()))
            python = str(interpreter(package, Version(version).base_version, folder, besides=besides, ours=False))
        except (subprocess.CalledProcessError, OSError) as error:
            return Release(version, problem=f"no environment ({error}); name an interpreter: --python {package}=PATH")
    python = os.path.abspath(python)  # resolves no links: the python of a virtual environment is a link
    command = [python, "-c", _ASK_VERSION, PACKAGES[package]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=_environment())
    except OSError as error:
        return Release(version, problem=str(error))
    if done.returncode:
        return Release(version, problem=f"{python} has no {PACKAGES[package]}")
    return Release(done.stdout.strip().partition("+")[0], python)


def _tried(bug: Bug, release: Release, timeout_s: float) -> Seen:
    """Run a reproducer in a temporary folder, which also has the compiler's cache."""
    if release.problem:
        return Seen(bug, release.version, COULD_NOT_RUN, problem=release.problem)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [release.python, str(bug.folder / "repro.py")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=folder,
            env={**_environment(), "TORCHINDUCTOR_CACHE_DIR": str(Path(folder) / "cache")},
            start_new_session=True,
        )
        try:
            printed, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Seen(bug, release.version, COULD_NOT_RUN, problem=f"it did not end within {timeout_s:g} s")
    seconds = time.monotonic() - began
    if process.returncode in _STATUS:
        return Seen(bug, release.version, _STATUS[process.returncode], seconds)
    last = (printed.strip() or "it printed nothing").splitlines()[-1]
    problem = f"exit status {process.returncode}: {last[:200]}"
    return Seen(bug, release.version, COULD_NOT_RUN, seconds, problem)


def _environment() -> dict[str, str]:
    """Return our environment without the variables that make another interpreter import our packages."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def _write(seen: Sequence[Seen]) -> None:
    """Put the results that differ into the list, and make the tables."""
    document = tomlkit.parse(bug_list.LIST.read_text(encoding="utf-8"))
    changed = {one.bug.number: one for one in seen if one.differs}
    for entry in document["bug"]:  # type: ignore[union-attr]
        if one := changed.get(entry["number"]):
            entry["status"][one.version] = one.status
    bug_list.LIST.write_text(tomlkit.dumps(document), encoding="utf-8")
    _write_tables(bug_list.read())


def _write_tables(bugs: BugList) -> None:
    text = bug_list.with_tables(bug_list.README.read_text(encoding="utf-8"), bugs)
    bug_list.README.write_text(text, encoding="utf-8")


def _summed_up(seen: Sequence[Seen]) -> int:
    differing = [one.bug.number for one in seen if one.differs]
    failed = [one.bug.number for one in seen if one.status == COULD_NOT_RUN]
    shown = sum(one.status == SHOWS for one in seen)
    right = sum(one.status == RIGHT for one in seen)
    print(f"{len(seen)} bugs: {shown} show, {right} do not, {len(failed)} could not be run")
    print(f"other than the list says: {' '.join(differing) or 'none'}")
    if failed:
        print(f"could not be run: {' '.join(failed)}")
    return 1 if differing else 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
