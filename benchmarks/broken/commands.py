"""The commands that read a mutant, as functions of its folder and an output folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import helper

import polyjuice
from benchmarks.broken.mutate import FINDING
from polyjuice.cli import main
from polyjuice.compilers import EnvironmentProblem

Arguments = Sequence[object]

URL = "https://example.com/bug/1"


@dataclass(frozen=True)
class Command:
    """A command by its name in the table, and what runs it: the command line's arguments, or the Python interface.

    ``writes`` names the mutant's own files that the command may change, besides its output folder.
    """

    name: str
    arguments: Callable[[Path, Path], Arguments] | None = None
    writes: tuple[str, ...] = ()
    when: Callable[[Path], bool] = lambda folder: True

    def run(self, folder: Path, out: Path) -> int:
        """Run the command in this process, and return its exit status. Any error other than SystemExit is a fault."""
        if self.arguments is None:
            return _check(folder / "model.onnx", out)
        sys.argv = ["polyjuice", *map(str, self.arguments(folder, out))]
        try:
            main()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(end.code is not None)
        return 0


def _fuzz(source: str) -> Callable[[Path, Path], Arguments]:
    """One case of a campaign in the numpy control, in one process, without variants, which other commands make."""
    control = ("--compiler", "numpy", "-n", 1, "--workers", 1, "--triage", "0s", "--timeout", 5)
    plain = ("--extract", "original", "--oracle", "differential")
    return lambda folder, out: ("fuzz", *control, *plain, "--seeds", folder / source, "--out", out / "campaign")


_IN_FINDING = (f"{FINDING}/finding.json", f"{FINDING}/report.md")

COMMANDS: Mapping[str, Sequence[Command]] = {
    "model": (
        Command("metrics", lambda folder, out: ("metrics", folder)),
        Command("fuzz --seeds", _fuzz("model.onnx")),
        Command("check"),
        Command("rewrite", lambda folder, out: ("rewrite", folder / "model.onnx", "--out", out / "rewritten")),
    ),
    "finding": (
        Command(
            "known add",
            lambda folder, out: ("known", "add", folder / FINDING, "--url", URL, "--file", out / "known.toml"),
        ),
        Command("suite add", lambda folder, out: ("suite", "add", folder / FINDING, out / "suite", "--url", URL)),
        Command("replay", lambda folder, out: ("replay", folder)),
        Command(
            "replay FINDING",
            lambda folder, out: ("replay", folder / FINDING),
            when=lambda folder: (folder / FINDING / "repro.py").is_file(),
        ),
        Command("reduce", lambda folder, out: ("reduce", folder / FINDING, "--out", out / "reduced", "--time", "2s")),
        Command("bisect", lambda folder, out: ("bisect", folder / FINDING, "--time", "2s"), writes=_IN_FINDING),
    ),
    "suite": (
        Command(
            "suite run",
            lambda folder, out: (
                "suite",
                "run",
                folder / "suite",
                "--compiler",
                "numpy",
                "--timeout",
                5,
                "--workers",
                1,
            ),
        ),
        Command(
            "suite add",
            lambda folder, out: ("suite", "add", folder / FINDING, folder / "suite", "--url", URL),
            writes=("suite",),
        ),
    ),
    "campaign": (
        Command("known check", lambda folder, out: ("known", "check", folder / "campaign")),
        Command("replay", lambda folder, out: ("replay", folder / "campaign")),
        Command("report", lambda folder, out: ("report", folder / "campaign"), writes=("campaign",)),
        Command(
            "fuzz --resume",
            lambda folder, out: ("fuzz", "--resume", folder / "campaign", "-n", 4),
            writes=("campaign",),
        ),
    ),
    "pt2": (Command("fuzz --seeds", _fuzz("model.pt2")),),
}
"""The commands by the kind of mutant, in the order in which a process runs them.

A process in which egglog has run cannot fork one in which it runs. So what rewrites in its own process comes last.
"""

NAMES = tuple(dict.fromkeys(command.name for commands in COMMANDS.values() for command in commands))
"""The columns of the table."""


def _check(model: Path, out: Path) -> int:
    """`polyjuice.check` as a program calls it: 0 for an answer, 1 for a finding, 2 for a documented refusal."""
    try:
        polyjuice.check(model, _inputs(model), compiler="numpy", variants=2, timeout_s=5, findings=out / "findings")
    except polyjuice.Miscompiled:
        return 1
    except (polyjuice.NotChecked, EnvironmentProblem, ValueError) as problem:
        print(f"polyjuice: {problem}", file=sys.stderr)
        return 2
    return 0


_MOST_ELEMENTS = 10_000


def _inputs(path: Path) -> list[np.ndarray]:
    """Ones of the declared types where these are small, else a single one."""
    arrays = []
    with suppress(OSError, DecodeError, ValueError):
        model = onnx.load(path, load_external_data=False)
        constants = {tensor.name for tensor in model.graph.initializer}
        for value in model.graph.input:
            if value.name in constants:
                continue
            shape = [max(dim.dim_value, 0) or 1 for dim in value.type.tensor_type.shape.dim]
            size = float(np.prod([float(size) for size in shape])) if len(shape) <= 32 else float("inf")
            dtype = np.dtype(np.float32)
            with suppress(KeyError, TypeError):
                dtype = np.dtype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
            arrays.append(np.ones(shape if size <= _MOST_ELEMENTS else (1,), np.float32).astype(dtype))
    return arrays
