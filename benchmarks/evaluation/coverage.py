"""Measure how much of a compiler each generator of programs reaches in equal time (NNSmith, section 5.2).

    python -m benchmarks.evaluation.coverage --compiler inductor --minutes 4     continues where it stopped
    python -m benchmarks.evaluation.coverage --table                             writes the table and the plot

Each arm has the same processor time for generating, rewriting, compiling and running programs, with the compiler's
trace on; the start of the processes and the judging of results are not counted. An arm is a strategy for seed graphs
without rewriting, one program at a time, or the default campaign. The measures:

- *branches* and *lines* (Inductor): of all Python files of `torch._inductor`, by the library coverage.py. A branch is a
  step from a line with several successors. What the import runs does not count.
- *passes*: the names in the traces: passes that changed a program, and operators that were imported, lowered,
  decomposed or legalized. *Pairs* are two that follow each other.
- *parts*: those passes that target files name and a program can reach (`rules/targets/README.md`). The campaign aims at
  them, so this measure favours it.

A line of the stored results is an arm. An arm that was interrupted starts again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation import passes
from benchmarks.evaluation.planted import processor_time
from benchmarks.evaluation.techniques import GENERATORS
from polyjuice import targets
from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Draft, Instead, Outcome
from polyjuice.session import CompilerSession

RESULTS = passes.RESULTS
CAMPAIGN = "campaign"

_WATCHED = {"inductor": Path(__file__).with_name("covered_inductor.py")}
"""The compiler files whose traces have steps from line to line."""

_STEP, _KERNEL = "step ", "kernel "
_ROWS = 16
"""The rows of an arm: its curve's points."""

_TIMEOUT_S = 300.0
"""The seconds for a compilation. The usual limit is too short for a compiler that is watched on a busy machine."""

_FILES = "coverage-*.jsonl"
"""The files of stored arms."""

_SHOWN = 12
"""The most names in a list of the table."""

Found = Mapping[str, set[str]]
"""What was reached, by measure."""


def main() -> None:
    """Measure the arms without a result, or write the table and the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="inductor")
    parser.add_argument("--minutes", type=float, default=10.0, help="of processor time, for each arm")
    parser.add_argument("--arms", default=",".join(GENERATORS), help="some arms, with commas")
    parser.add_argument("--table", action="store_true", help="only write the table and the plot")
    options = parser.parse_args()
    if not options.table:
        path = RESULTS / f"coverage-{options.compiler}.jsonl"
        done = {arm["arm"] for arm in stored().get(options.compiler, ())}
        with path.open("a", encoding="utf-8") as file:
            for arm in options.arms.split(","):
                if arm not in done:
                    file.write(json.dumps(measured(options.compiler, arm, 60 * options.minutes)) + "\n")
                    file.flush()
    text = table(stored())
    (RESULTS / "coverage.md").write_text(text, encoding="utf-8")
    print(text)


def measured(compiler_name: str, arm: str, seconds: float) -> dict[str, Any]:
    """Run an arm. Return its curve, and what it reached."""
    alone = {"pack": 1} if arm != CAMPAIGN else {}
    options = Config(compiler=compiler_name, seed=0, timeout_s=_TIMEOUT_S, **alone, **GENERATORS[arm].options)
    compiler = find(compiler_name)
    watched = replace(compiler, path=_WATCHED.get(compiler_name, compiler.path))
    spent, programs, rows, load_before = 0.0, 0, [], os.getloadavg()[1]
    due = seconds / _ROWS
    pack = options.pack_of(compiler)
    with tempfile.TemporaryDirectory() as folder, _Watching(options.conditions, watched, trace="passes") as session:
        runner = Runner(options, Path(folder), load(), session)
        session.worker().start()
        for first in count(step=pack):
            began = processor_time()
            programs += sum(len(case.programs) for case in runner.execute_all(range(first, first + pack)))
            spent += processor_time() - began
            if spent >= min(due, seconds):
                due = spent + seconds / _ROWS
                found = session.found()
                rows.append([round(spent, 1), programs, {name: len(those) for name, those in found.items()}])
                print(compiler_name, arm, *rows[-1], file=sys.stderr, flush=True)
            if spent >= seconds:
                break
        load_now = [round(load_before), round(os.getloadavg()[1])]
        about = {"arm": arm, "version": session.version, "load": load_now, "totals": totals(compiler), "rows": rows}
        lists = {name: by_file(those) if name == "branches" else sorted(those) for name, those in found.items()}
        return about | {"found": {name: lists[name] for name in lists if name in _UNIQUE}}


class _Watching(CompilerSession):
    """Keeps what the traces of all programs name."""

    def __init__(self, *how: Any, **more: Any) -> None:
        super().__init__(*how, **more)
        self._names: set[str] = set()
        self._pairs: set[str] = set()

    def execute(
        self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]], *, level: str = "", compile: bool = True
    ) -> Outcome:
        """Execute an artifact, and keep its trace."""
        outcome = super().execute(artifact, inputs, level=level, compile=compile)
        self._keep(outcome)
        return outcome

    def execute_together(
        self, drafts: Sequence[Draft], instead: Instead = lambda number, outcome: ()
    ) -> list[Outcome | None]:
        """Execute several artifacts, and keep their traces."""
        outcomes = super().execute_together(drafts, instead)
        for outcome in filter(None, outcomes):
            self._keep(outcome)
        return outcomes

    def _keep(self, outcome: Outcome) -> None:
        self._names.update(outcome.trace)
        acted = [name for name in outcome.trace if _acted(name)]
        self._pairs.update(f"{a}, {b}" for a, b in pairwise(acted))

    def found(self) -> Found:
        """Return what was reached so far."""
        steps = {name.removeprefix(_STEP) for name in self._names if name.startswith(_STEP)}
        acted = set(filter(_acted, self._names))
        parts = {"passes": acted, "pairs": self._pairs, "parts": acted & reachable(self.compiler)}
        return {**branches_and_lines(steps), **parts} if steps else parts


_UNIQUE = ("branches", "passes", "parts")
"""The measures of which an arm's names are stored."""


def _acted(name: str) -> bool:
    """Whether a trace's entry names something that changed a program, and neither a counter nor a fused kernel."""
    return "=" not in name and not name.endswith(passes.UNCHANGED) and not name.startswith((_STEP, _KERNEL))


def reachable(compiler: CompilerInfo) -> set[str]:
    """Return the parts that the compiler's target files name and a program can reach."""
    known = targets.of_compiler(compiler.target_file)
    return {*known.parts} - {*known.unreachable}


def totals(compiler: CompilerInfo) -> dict[str, int]:
    """Return how much there is to reach, of each measure for which that is known."""
    known = {"parts": len(reachable(compiler))}
    if compiler.name not in _WATCHED:
        return known
    files = [possible(path.relative_to(_package()).as_posix()) for path in sorted(_package().rglob("*.py"))]
    return {"branches": sum(len(arcs) for _, arcs in files), "lines": sum(len(f.statements) for f, _ in files), **known}


def branches_and_lines(steps: Iterable[str]) -> Found:
    """Return the branches and the lines that these steps reach, as `ir.py:12>34` and `ir.py:12`."""
    by_file: dict[str, set[tuple[int, int]]] = {}
    for file, _, step in (name.partition(":") for name in steps):
        before, after = map(int, step.split(">"))
        by_file.setdefault(file, set()).add((before, after))
    found: dict[str, set[str]] = {"branches": set(), "lines": set()}
    for file, those in by_file.items():
        parser, branches = possible(file)
        reached = parser.translate_arcs(those) & branches
        found["branches"] |= {f"{file}:{before}>{after}" for before, after in reached}
        lines = parser.translate_lines(line for step in those for line in step if line > 0)
        found["lines"] |= {f"{file}:{line}" for line in lines & parser.statements}
    return found


@cache
def possible(file: str) -> tuple[Any, set[tuple[int, int]]]:
    """Return the parser of one of Inductor's files, and the branches in it."""
    from coverage.parser import PythonParser

    parser = PythonParser(filename=str(_package() / file))
    parser.parse_source()
    exits = parser.exit_counts()
    return parser, {arc for arc in parser.arcs() if exits[arc[0]] > 1}


@cache
def _package() -> Path:
    spec = importlib.util.find_spec("torch")
    assert spec
    return Path(str(spec.origin)).parent / "_inductor"


def by_file(branches: Iterable[str]) -> dict[str, str]:
    """Return branches as one text for each file."""
    found: dict[str, list[str]] = {}
    for name in sorted(branches):
        file, _, step = name.partition(":")
        found.setdefault(file, []).append(step)
    return {file: " ".join(steps) for file, steps in found.items()}


def names(stored: Mapping[str, str] | Sequence[str]) -> set[str]:
    """Return the names of which an arm's result has a list, or a text for each file."""
    if isinstance(stored, Mapping):
        return {f"{file}:{step}" for file, steps in stored.items() for step in steps.split(" ")}
    return {*stored}


def stored() -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return the stored arms by compiler."""
    texts = {path.stem.removeprefix("coverage-"): path.read_text("utf-8") for path in sorted(RESULTS.glob(_FILES))}
    return {name: [json.loads(line) for line in text.splitlines()] for name, text in texts.items() if text}


def table(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the tables in Markdown."""
    lines = [
        "# How much of a compiler each generator reaches in equal time",
        "",
        "Written by `benchmarks/evaluation/coverage.py`, which says what the words mean. One seed. *Alone* counts what",
        "no other arm reached. The clock is processor time. *Load* is the mean number of processes that ran or waited",
        "on the machine in the last five minutes, before and after the arm.",
        "",
    ]
    for compiler, arms in results.items():
        measures, totals = list(arms[0]["rows"][-1][2]), arms[0]["totals"]
        heads = [f"{name} of {totals[name]:,}" if name in totals else name for name in measures]
        lines += [
            f"## {compiler} {arms[0]['version']}",
            "",
            f"| arm | seconds | programs | {' | '.join(heads)} | load |",
        ]
        lines += ["|---" * (len(measures) + 4) + "|"]
        for arm in arms:
            seconds, programs, _ = arm["rows"][-1]
            cells = [_cell(name, arm, arms) for name in measures]
            load = ", ".join(map(str, arm["load"]))
            lines.append(f"| {arm['arm']} | {seconds:.0f} | {programs:,} | {' | '.join(cells)} | {load} |")
        lines += ["", *_missed(arms), ""]
    return "\n".join(lines)


def _cell(measure: str, arm: Mapping[str, Any], arms: Sequence[Mapping[str, Any]]) -> str:
    """Return an arm's count of a measure, its share of the total, and how much of it no other arm reached."""
    count = arm["rows"][-1][2][measure]
    notes = [f"{count / arm['totals'][measure]:.1%}"] if measure in arm["totals"] else []
    if measure in arm["found"]:
        others = [names(other["found"][measure]) for other in arms if other is not arm]
        notes.append(f"{len(names(arm['found'][measure]).difference(*others)):,} alone")
    return f"{count:,} ({', '.join(notes)})" if notes else f"{count:,}"


def _missed(arms: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say what the campaign did not reach and another arm did, as lines of a list."""
    lines = []
    for campaign in (arm for arm in arms if arm["arm"] == CAMPAIGN):
        for measure in (name for name in campaign["found"] if name != "parts"):  # parts are passes
            others = set[str]().union(*(names(arm["found"][measure]) for arm in arms))
            missed = Counter(
                name.partition(":")[0] if measure == "branches" else name
                for name in others - names(campaign["found"][measure])
            )
            most = sorted(missed, key=lambda name: (-missed[name], name))[:_SHOWN]
            told = ", ".join(f"`{name}` ({missed[name]})" if measure == "branches" else f"`{name}`" for name in most)
            lines.append(f"- {missed.total()} {measure} that another arm reached and the campaign did not: {told}")
            lines[-1] += ", ..." if len(missed) > _SHOWN else ""
    return lines


if __name__ == "__main__":
    main()
