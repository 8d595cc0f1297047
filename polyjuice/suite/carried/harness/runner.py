"""Runs cases in one compiler, in a process that the compiler may end: `python runner.py COMPILER SCRATCH`.

Each line of standard input names the folder of a case. The answers are lines of JSON. The first is {version}, or
{problem}, which ends the process. For a case, {stage} follows as each stage begins, then {status, message}. Beside this
file lie Polyjuice's worker and compiler files, as they run in its campaigns.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent


def main(name: str, scratch: str) -> None:
    """Prepare the compiler, then run one case after another until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # keeps a framework's output out of the answers
    faulthandler.enable()
    sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != HERE]

    def answer(**fields: Any) -> None:
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    worker, wire, judging = (load(HERE / file) for file in ("worker.py", "_wire.py", "judging.py"))
    try:
        compiler = worker.load_compiler(HERE / "compilers" / f"{name}.py")
        version = compiler.version()
        compiler.check()
        compiler.start({"device": "cpu", "scratch": scratch, "toolchain": str(Path(scratch, "toolchain"))})
    except (ImportError, RuntimeError) as error:
        answer(problem=f"{name} cannot be used in {sys.executable}: {' '.join(str(error).split())}")
        return
    answer(version=version)
    for line in sys.stdin:
        folder = Path(line.rstrip("\n"))
        case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
        arrays = judging.read_arrays(folder / "inputs.npz")
        if compiler.INFO["format"] not in case["programs"]:
            answer(status=judging.SKIPPED, message=f"the case has no {compiler.INFO['format']} programs")
            continue
        ran = {}
        for side, program in case["programs"][compiler.INFO["format"]].items():
            make_job = partial(worker.Job, compiler, lambda stage, side=side: answer(stage=f"{stage} of {side}"))
            ran[side] = run(make_job, folder, case, program, arrays, judging, wire)
        status, message = judging.verdict(case, arrays, compiler.INFO["format"], ran)
        answer(status=status, message=message)


def run(
    make_job: Callable[..., Any],
    folder: Path,
    case: Mapping[str, Any],
    program: Mapping[str, Any],
    arrays: Mapping[str, Any],
    judging: ModuleType,
    wire: ModuleType,
) -> Any:
    """Compile a program and run it, as a worker does on request."""
    request = {
        "text": not program["file"].endswith(".onnx"),
        "names": program["arrays"],
        "arguments": program["arguments"],
        "results": program["results"],
        "setup": program["setup"],
        "reference": True,
        "compile": True,
        "measure_s": 0.0,
    }
    source = wire.text_array((folder / program["file"]).read_bytes())
    named = [arrays[name] for name in program["arrays"]]
    sets = [judging.inputs_of(case, arrays)] * judging.RUNS
    report, outputs = make_job(wire.checked, request, [source, *named], sets).execute()
    made = len(outputs) - (report["reference"] or 0)
    reference = None if report["reference"] is None else list(parts(outputs[made:], judging.RUNS))
    failure = (report["status"], report["stage"], report["message"])
    return judging.Ran(*failure, list(parts(outputs[:made], judging.RUNS)) if made else [], reference)


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
