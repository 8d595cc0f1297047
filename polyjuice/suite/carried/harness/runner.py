"""Runs cases in one compiler, in a process that the compiler may end: `python runner.py COMPILER WORKER SCRATCH`.

COMPILER is the compiler's file, WORKER the folder of Polyjuice's worker, SCRATCH a folder for temporary files. Each
line of standard input names the folder of a case. The answers are lines of JSON. The first is {version}, or {problem},
which ends the process. For a case, {stage} follows as each stage begins, then {status, message}.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import json
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
MEMORY_GIB = 8.0  # by which the address space may grow
UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, zipfile.BadZipFile)


def main(file: str, neighbours: str, scratch: str) -> None:
    """Prepare the compiler, then run one case after another until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # keeps a framework's output out of the answers
    faulthandler.enable()
    sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != HERE]

    def answer(**fields: Any) -> None:
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    worker, wire = (load(Path(neighbours, name)) for name in ("worker.py", "_wire.py"))
    judging = load(HERE / "judging.py")
    try:
        compiler = worker.load_compiler(Path(file))
        version = compiler.version()
        compiler.check()
        compiler.start({"device": "cpu", "scratch": scratch, "toolchain": str(Path(scratch, "toolchain"))})
    except (ImportError, RuntimeError) as error:
        problem = " ".join(str(error).split())
        answer(problem=f"{Path(file).stem} cannot be used in {sys.executable}: {problem}")
        return
    worker._limit_memory(MEMORY_GIB)
    answer(version=version)
    for line in sys.stdin:
        try:
            status, message = verdict(Path(line.rstrip("\n")), compiler, answer, worker, wire, judging)
        except UNREADABLE as error:
            status, message = judging.FAILED, f"the case cannot be read: {type(error).__name__}: {error}"
        answer(status=status, message=message)


def verdict(
    folder: Path, compiler: Any, answer: Callable[..., None], worker: Any, wire: Any, judging: Any
) -> tuple[str, str]:
    """Run the programs of a case. Raises one of ``UNREADABLE`` for a case that is not whole."""
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    format = compiler.INFO["format"]
    if format not in case["programs"]:
        return judging.SKIPPED, f"the case has no {format} programs"
    arrays = judging.read_arrays(folder / "inputs.npz")
    inputs = [arrays[f"input_{i}"] for i in range(len(case["inputs"]))]
    ran = {}
    for side, program in case["programs"][format].items():
        request = {
            "text": program["text"],
            "names": program["arrays"],
            "arguments": program["arguments"],
            "results": program["results"],
            "setup": program["setup"],
            "reference": True,
            "compile": True,
            "measure_s": 0.0,
        }
        source = wire.text_array((folder / program["file"]).read_bytes())
        named = [source, *(arrays[name] for name in program["arrays"])]
        announce = partial(announced, answer, side)
        job = worker.Job(compiler, announce, wire.checked, request, named, [inputs] * judging.RUNS)
        report, outputs = job.execute()
        made = len(outputs) - (report["reference"] or 0)
        reference = None if report["reference"] is None else list(parts(outputs[made:], judging.RUNS))
        failure = (report["status"], report["stage"], report["message"])
        ran[side] = judging.Ran(*failure, list(parts(outputs[:made], judging.RUNS)) if made else [], reference)
    return judging.verdict(case, arrays, format, ran)  # type: ignore[no-any-return]


def announced(answer: Callable[..., None], side: str, stage: str, number: int) -> None:
    """Answer that a stage begins, or goes on with a further set of inputs."""
    answer(stage=f"{stage} of {side}")


def parts(items: list[Any], count: int) -> Iterator[list[Any]]:
    """Cut a list into parts of equal length."""
    length = len(items) // count
    return (items[i * length : (i + 1) * length] for i in range(count))


def load(path: Path) -> ModuleType:
    """A Python file as a module, loaded by its path, so that no name of ours hides one of a framework's."""
    spec = importlib.util.spec_from_file_location(f"_suite_{path.stem}", path)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(*sys.argv[1:])
