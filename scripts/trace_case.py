"""Print how many files, functions and kinds of records of Polyjuice one case passes through.

    python scripts/trace_case.py                           README's example, on ONNX Runtime 1.32.0
    python scripts/trace_case.py --compiler tvm --seed 3 --index 7 --operators Add Relu

The case runs in this process, from preparing to confirming. If it has a finding, triage follows. Records are
dataclasses and named tuples. The compiler's process does not count.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType, FrameType

from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import LARGE
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.inputs import usual_profiles
from polyjuice.triage import automatic

PACKAGE = Path(automatic.__file__).parents[1]
files: set[str] = set()
functions: set[CodeType] = set()
records: set[str] = set()


def note(frame: FrameType, event: str, _: object) -> None:
    """Note a call, as a function for `sys.setprofile`."""
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(str(PACKAGE)):
        files.add(str(Path(code.co_filename).relative_to(PACKAGE)))
        if not code.co_name.startswith("<"):  # as <lambda> and <genexpr> do
            functions.add(code)
    elif event == "call" and code.co_filename == "<string>" and code.co_name in ("__init__", "<lambda>"):
        first = frame.f_locals.get(code.co_varnames[0])  # of what a dataclass or NamedTuple generates: self, or cls
        kind = first if isinstance(first, type) else type(first)
        if kind.__module__.startswith("polyjuice"):
            records.add(f"{kind.__module__}.{kind.__qualname__}")


def trace(stage: str, function: Callable[[], object]) -> None:
    """Call a function, and print what it and the stages before it pass through."""
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    print(f"{stage}: {len(files)} files, {len(functions)} functions, {len(records)} kinds of records")


def main() -> None:
    """Run the case, and print the counts of both stages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="onnxruntime")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--index", type=int, default=95)
    parser.add_argument("--operators", nargs="+", default=["MatMul", "Transpose"])
    parser.add_argument("--list", action="store_true", help="print the files and the records, too")
    options = parser.parse_args()
    config = Config(
        compiler=options.compiler,
        seeds=(LARGE,),
        seed=options.seed,
        nodes=4,
        only_operators=tuple(options.operators),
        oracles=("metamorphic",),
        profiles=tuple(usual_profiles(find(options.compiler))),
    )
    rules = load()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(config, Path(folder), rules)
        trace("preparing to confirming", partial(list, runner.run([options.index])))
        runner.close()
        for finding in sorted(Path(folder, "raw").glob("*")):
            trace("with triage", partial(automatic.triage, finding, lambda *_: [], 60.0, rules))
    if options.list:
        print(*sorted(files), *sorted(records), sep="\n")


if __name__ == "__main__":
    main()
