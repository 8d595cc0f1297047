"""Compare kinds, sizes and mixes of cases: the faults that each detects in the same time.

    python benchmarks/budget.py                                   ONNX Runtime, Inductor and TVM (an hour or so)
    python benchmarks/budget.py --compilers inductor --rows 'packs*' --minutes 2
    python benchmarks/budget.py --lanes 4000                      how often campaigns see faults of 8-bit lanes
    python benchmarks/budget.py --table                           the tables of stored results; nothing runs

Each row is a campaign of one kind of case. It is measured with the compiler, and without it:

- With the compiler: the cases in a minute, without confirming findings. ``--planted SECONDS`` plants all faults of
  ``benchmarks/mutants``, and runs as many cases as take SECONDS without faults. A detected fault is removed.
- Without it: the simulated faults (``simulated/``) and the conditions of published bugs (``published/conditions.py``)
  that a case exposes. Multiplied by the cases in a minute, that predicts the faults found in some minutes.

Time is the processor time of this process and its descendants, so that other work on the machine matters little. The
results go to ``artifacts/budget.json`` and ``artifacts/budget.md``. Rows that are not measured keep their results.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.mutants.run import HERE as MUTANTS
from benchmarks.mutants.run import MET, FaultySession, environment, mutants, spoken, write
from benchmarks.published.conditions import CONDITIONS
from benchmarks.published.program import Program as Conditioned
from benchmarks.simulated import Fault, exposed
from benchmarks.simulated.drawn import drawn
from benchmarks.simulated.faults import LANES, WRITTEN, is_lane_reduction
from polyjuice import packs
from polyjuice.campaign import kinds
from polyjuice.campaign.clock import Clock
from polyjuice.campaign.config import Config
from polyjuice.campaign.confirmation import Confirmed, Confirming
from polyjuice.campaign.kinds import MIXED, Kind
from polyjuice.campaign.preparation import BATCH, Preparation, Skip, Unsound
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import load
from polyjuice.inputs import usual_profiles
from polyjuice.ir import Graph
from polyjuice.oracles import USUAL_ORACLES, Case, Verdict
from polyjuice.packs import CasePacks
from polyjuice.session import CompilerSession
from polyjuice.support import Support

FAULTS: Sequence[Fault] = (*WRITTEN, *drawn())
"""All simulated faults."""

RESULTS = Path(__file__).resolve().parents[1] / "artifacts" / "budget.json"

COMPILERS = ("onnxruntime", "inductor", "tvm")

_PATIENCE = 3
"""The most wall-clock time of a row, as a multiple of its processor time."""

_ATTEMPTS = 5
"""The seed graphs that a case may try, as in a campaign."""

_SECONDS = {"onnxruntime": 5, "inductor": 120, "tvm": 30}
"""The seconds for which the tables predict findings: about as many cases as are tried without the compiler."""

_WARM_UP = 1 << 20
"""The index of the first case that warms up, before time counts."""

_LANES_THEN_S = 6.5
"""The seconds of a case of Inductor at commit cb9acb9 (wall-clock time, beside other work on the machine)."""


@dataclass(frozen=True)
class Row:
    """A campaign of one kind of case, or of several in turn. Unset options are those of a default campaign."""

    group: str
    kinds: tuple[Kind, ...]
    nodes: int | None = None
    pack: int = 0
    sets: int | None = None
    only: tuple[str, ...] = COMPILERS
    like: str = ""
    """A row whose cases have the same programs and inputs, and so expose the same simulated faults."""


_SMALL, _SMALL_VARIED = Kind("small", alone=True), Kind("small")
_WHOLE, _WHOLE_VARIED = Kind("default", alone=True), Kind("default")

THEN, NOW = "campaign as of cb9acb9", "campaign by default"

ROWS: Mapping[str, Row] = {
    "small alone": Row("kinds", (_SMALL,)),
    "small with min and max": Row("kinds", (_SMALL_VARIED,)),
    **{
        f"graphs of {nodes} {how}": Row("kinds", (kind,), nodes)
        for nodes in (5, 10, 20, 40)
        for how, kind in (("with min and max", _WHOLE_VARIED), ("alone", _WHOLE))
    },
    **{
        f"packs of {size}": Row("packs", (_SMALL,), pack=size, only=("inductor",), like="small alone")
        for size in (1, 10, 30, 60)
    },
    **{f"input sets: {sets}": Row("sets", (_SMALL,), sets=sets) for sets in (1, 2, 4, 8)},
    THEN: Row("campaigns", (_WHOLE_VARIED,), 20, 1, 1, ("inductor",)),
    NOW: Row("campaigns", kinds._SLOW_MIXED, only=("inductor",)),
}

_HEADS = {
    "kinds": "Kinds of cases",
    "packs": "Small programs alone, in packs",
    "sets": "Small programs alone, by number of input sets",
    "campaigns": "Campaigns",
}


def main() -> None:
    """Measure the rows that the options name, and write the results and their tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compilers", default=",".join(COMPILERS))
    parser.add_argument("--rows", default="*", help="patterns for the names of rows, separated by commas")
    parser.add_argument("--minutes", type=float, default=1.0, help="with the compiler, for each row")
    parser.add_argument(
        "--planted",
        type=float,
        default=0,
        help="seconds: as many cases with planted faults as run in this time without",
    )
    parser.add_argument("--simulated", type=float, default=0.4, help="minutes without the compiler, for each row")
    parser.add_argument(
        "--lanes", type=int, default=0, metavar="CASES", help="how many cases to search for faults of lanes"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="only write the tables of stored results")
    options = parser.parse_args()
    known: dict[str, Any] = json.loads(options.results.read_text()) if options.results.exists() else {}
    for compiler in () if options.table else options.compilers.split(","):
        for name, row in ROWS.items():
            if compiler in row.only and any(fnmatch(name, pattern) for pattern in options.rows.split(",")):
                results = known.setdefault(compiler, {}).setdefault(name, {})
                for what, result in measured(row, compiler, options, results):
                    results[what] = result
                    write(options.results, known)
                    print(f"{compiler}, {name}: {_short(result)}", file=sys.stderr, flush=True)
    text = as_markdown(known)
    options.results.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def measured(
    row: Row, compiler: str, options: argparse.Namespace, results: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the result of each measurement of a row; ``results`` has the results so far."""
    if options.lanes:
        with preparing(row, compiler, options.seed) as preparation:
            yield "lanes", lanes(preparation, find(compiler), options.lanes)
        return
    if options.minutes:
        results["run"] = sound(row, compiler, options.seed, 60 * options.minutes)
        yield "run", results["run"]
    if options.planted and "run" in results:
        cases = round(options.planted / 60 * _rate(results["run"]))
        yield "planted", planted(row, compiler, options.seed, cases)
    if options.simulated and not row.like:
        with preparing(row, compiler, options.seed) as preparation:
            yield "simulated", exposures(preparation, compiler, 60 * options.simulated)


def _short(result: Mapping[str, Any]) -> str:
    return ", ".join(f"{k} {len(v) if isinstance(v, dict) else v}" for k, v in result.items())


# --- campaigns of a row -----------------------------------------------------------------------------------------------


def config_of(row: Row, compiler: CompilerInfo, seed: int) -> Config:
    """Return the configuration of a row: default options, except those that the row sets."""
    return Config(
        compiler=compiler.name,
        seeds=(MIXED,),
        seed=seed,
        nodes=row.nodes or compiler.nodes,
        profiles=usual_profiles(compiler),
        pack=row.pack,
    )


@contextmanager
def taking_turns(row: Row) -> Iterator[None]:
    """Inside the block, mixed campaigns have the row's kinds of cases and its number of input sets."""

    def profiles(self: Preparation, graph: Graph, plan: Any) -> list[str]:
        return list(islice(cycle(plan.profiles_of(graph)), row.sets))

    with ExitStack() as stack:
        stack.enter_context(patch.dict(vars(kinds), _TURNS={MIXED: row.kinds}, _SLOW_MIXED=row.kinds))
        if row.sets:
            stack.enter_context(patch.object(Preparation, "_profiles", profiles))
        yield


class Unconfirmed(Confirming):
    """Confirms no finding; ``programs`` counts those that ran."""

    programs = 0

    def confirm(self, case: Case, verdicts: Sequence[Verdict], name: str = "") -> Confirmed:
        """Count the programs, and confirm nothing."""
        self.programs += len(case.ran)
        return Confirmed()

    def in_packs(self, case: Case, packed: CasePacks, flaky: Sequence[Verdict]) -> Confirmed:
        """Confirm nothing."""
        return Confirmed()


def chunk(row: Row, config: Config, compiler: CompilerInfo) -> int:
    """Return how many cases run together: those that share a pack or an e-graph, whose time counts for all."""
    if (row.nodes or 0) > packs.LARGEST and not compiler.fast:
        return 1
    return max(config.pack_of(compiler), BATCH if compiler.fast else 1)


def sound(row: Row, name: str, seed: int, seconds: float) -> dict[str, Any]:
    """Run a row's campaign on the compiler without faults. Return its counts and time."""
    compiler = find(name)
    config = config_of(row, compiler, seed)
    size = chunk(row, config, compiler)
    with (
        taking_turns(row),
        tempfile.TemporaryDirectory() as folder,
        CompilerSession(config.conditions, compiler) as session,
    ):
        runner = Runner(config, Path(folder), load(), session)
        list(runner.run(range(_WARM_UP, _WARM_UP + min(2, size))))
        confirming = runner.confirming = Unconfirmed(config, Path(folder), session)
        tested = cases = 0
        clock = Stopwatch()
        for first in count(0, size):
            tested += sum(not (result.skipped or result.unsound) for result in runner.run(range(first, first + size)))
            cases = first + size
            if clock.is_over(seconds * cases / (cases + size)):  # stop early if the next chunk would end too late
                break
        return {"cases": cases, "tested": tested, "programs": confirming.programs, **clock.times}


def planted(row: Row, name: str, seed: int, cases: int) -> dict[str, Any]:
    """Run a row's campaign on the compiler with planted faults. Return after how many cases each was detected."""
    compiler = find(name)
    config = config_of(row, compiler, seed)
    faults: dict[str, int] = {}
    with (
        taking_turns(row),
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as cache,
        environment(PYTHONPATH=str(MUTANTS / "site"), POLYJUICE_MUTANT="by-program"),
        environment(CXX=str(MUTANTS / "cached-g++"), CXX_CACHE=cache),
        FaultySession(config.conditions, compiler) as session,
    ):
        runner = Runner(config, Path(folder), load(), session)
        clock = Stopwatch()
        for index in range(cases):
            session.faults = [fault for fault in mutants(f"{name}/*") if fault not in faults]
            with suppress(Skip, Unsound):
                found = spoken(USUAL_ORACLES, session, runner.execute(index))
                faults |= {fault: index + 1 for fault, events in found.items() if events - {MET}}
        return {"cases": cases, **clock.times, "faults": faults}


class Stopwatch:
    """The processor time and wall-clock time since its creation (s), and the machine's mean load."""

    def __init__(self) -> None:
        self._began, self._began_wall = _processor_seconds(), time.monotonic()
        self._load = [os.getloadavg()[0]]

    @property
    def spent(self) -> float:
        """The processor time in seconds."""
        return _processor_seconds() - self._began

    @property
    def wall(self) -> float:
        """The wall-clock time in seconds."""
        return time.monotonic() - self._began_wall

    def is_over(self, seconds: float) -> bool:
        """Whether this processor time, or a multiple of it in wall-clock time, has passed."""
        return self.spent > seconds or self.wall > _PATIENCE * seconds

    @property
    def times(self) -> dict[str, float]:
        """The times and the load, rounded, for the results."""
        load = (self._load[0] + os.getloadavg()[0]) / 2
        return {"seconds": round(self.spent, 1), "wall_s": round(self.wall, 1), "load": round(load, 1)}


_TICKS = os.sysconf("SC_CLK_TCK")


def _processor_seconds() -> float:
    """Return the processor seconds of this process and its descendants, with ended children (Linux)."""
    spent: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # the process has ended
            continue
        number = int(path.parent.name)
        children.setdefault(int(fields[1]), []).append(number)
        spent[number] = sum(map(int, fields[11:15]))
    total, todo = 0, [os.getpid()]
    while todo:
        number = todo.pop()
        total += spent.get(number, 0)
        todo += children.get(number, [])
    return total / _TICKS


# --- without the compiler ---------------------------------------------------------------------------------------------


@contextmanager
def preparing(row: Row, name: str, seed: int) -> Iterator[Preparation]:
    """Provide the preparation of a row's cases, with the operators that the compiler takes."""
    compiler = find(name)
    config = config_of(row, compiler, seed)
    with (
        taking_turns(row),
        tempfile.TemporaryDirectory() as folder,
        CompilerSession(config.conditions, compiler) as session,
    ):
        support = Support(compiler, session.worker(), config.opset)
        yield Preparation(config, Path(folder), load(), compiler, support, Clock())


def prepared(preparation: Preparation, index: int) -> Case | None:
    """Return a case with its first seed graph that can be tested; None if there is none."""
    for attempt in range(_ATTEMPTS):
        try:
            return preparation.case(index, attempt)
        except Skip:
            continue
        except Unsound:
            break
    return None


def exposures(preparation: Preparation, compiler: str, seconds: float) -> dict[str, Any]:
    """Prepare cases for some time; count those that expose each simulated fault or meet each published condition."""
    conditions = {key: c.occurs for key, c in CONDITIONS.items() if key.startswith(f"{compiler}/") and c.occurs}
    found: Counter[str] = Counter()
    published: Counter[str] = Counter()
    programs, clock = 0, Stopwatch()
    for index in count():
        if index and index % BATCH == 0 and clock.is_over(seconds):
            return {"cases": index, "programs": programs, **clock.times, "faults": found, "published": published}
        if case := prepared(preparation, index):
            programs += len(case.programs)
            found.update(exposed(case, FAULTS, find(compiler))[1])
            published.update(key for key, occurs in conditions.items() if _meets(case, occurs))
    raise AssertionError("cases do not end")


def _meets(case: Case, occurs: Callable[[Conditioned], bool]) -> bool:
    """Whether any program of a case meets a condition."""
    return any(occurs(Conditioned(p.graph, lambda: case.inputs, lambda p=p: p.artifact)) for p in case.programs)


def lanes(preparation: Preparation, compiler: CompilerInfo, cases: int) -> dict[str, Any]:
    """Count the cases that have an 8-bit reduction, that meet a fault of 8-bit lanes, and that expose one.

    Only seed graphs with such a reduction are rewritten: variants of other graphs hardly ever have one.
    """
    faults = [fault for fault in FAULTS if fault.group == LANES]
    found: Counter[str] = Counter()
    has = meets = exposes = 0
    for index in range(cases):
        graph = preparation.seed_graph(index)
        if not any(is_lane_reduction(graph, node) for node in graph.nodes):
            continue
        has += 1
        if case := prepared(preparation, index):
            met, exposed_here = exposed(case, faults, compiler)
            meets, exposes = meets + bool(met), exposes + bool(exposed_here)
            found.update(exposed_here)
    return {"cases": cases, "have": has, "meet": meets, "expose": exposes, "faults": found}


# --- the tables -------------------------------------------------------------------------------------------------------


_HEAD = f"""# The yield of sizes and shares of cases

Made by `python benchmarks/budget.py`, whose docstring explains it. Each row is a campaign of one kind of case, with
other options at their defaults. A minute is processor time of one worker and its child processes. "Load" is the
machine's load at that time. Other work ran on its two cores, so rates differ by a third from run to run.

- **planted**: how many planted faults the row detects, in as many cases as the compiler runs in three seconds without
  faults. With another seed this differs by half.
- **exposed a minute**: how often the cases of a minute expose one of {len(FAULTS)} simulated faults.
- **simulated**: how many different simulated faults are exposed in the time that the heading says, on average.
- **by no other row**: how many of these no other row of the same part detects or exposes.
- **published**: bugs of the open half of `benchmarks/published` whose conditions occur in an hour, on average.
"""


def as_markdown(known: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the tables, one for each compiler and part."""
    lines = [_HEAD]
    for compiler, rows in known.items():
        lines.append(f"## {compiler}: {_SECONDS[compiler]} seconds\n")
        for group, title in _HEADS.items():
            names = [
                name
                for name, row in ROWS.items()
                if row.group == group and {"run", "simulated"} & {*rows.get(name, ())}
            ]
            if names:
                whole = {name: {**rows.get(ROWS[name].like, {}), **rows[name]} for name in names}
                lines += [f"### {title}\n", *_part(compiler, whole), *_agreement(whole), ""]
        lines += _lanes_table({name: rows[name] for name in ROWS if "lanes" in rows.get(name, {})})
    return "\n".join(lines).rstrip() + "\n"


def _part(compiler: str, rows: Mapping[str, Any]) -> Iterator[str]:
    columns = ["", "cases", "programs", "seconds", "load", "cases a minute"]
    with_planted = any("planted" in row for row in rows.values())
    columns += ["cases with planted faults", "planted", "by no other row"] if with_planted else []
    columns += ["cases without the compiler", "exposed a minute", "simulated", "by no other row", "published"]
    yield "| " + " | ".join(columns) + " |"
    yield "|---" * len(columns) + "|"
    for name in rows:
        planted_cells = _planted_cells(rows, name, compiler) if with_planted else ()
        cells = [name, *_run_cells(rows[name]), *planted_cells, *_simulated_cells(rows, name, _SECONDS[compiler])]
        yield "| " + " | ".join(cells) + " |"


def _run_cells(row: Mapping[str, Any]) -> Iterator[str]:
    run = row.get("run")
    if not run:
        yield from [""] * 5
        return
    yield from (f"{run['cases']:,}", f"{run['programs']:,}", f"{run['seconds']:.0f}", f"{run['load']}")
    yield f"{_rate(run):.3g}"


def _planted_cells(rows: Mapping[str, Any], name: str, compiler: str) -> Iterator[str]:
    tried = rows[name].get("planted")
    if not tried:
        yield from [""] * 3
        return
    yield f"{tried['cases']:,}"
    yield f"{len(tried['faults'])} of {len(mutants(f'{compiler}/*'))}"
    yield str(len(_alone(rows, name, "planted", "faults")))


def _simulated_cells(rows: Mapping[str, Any], name: str, seconds: float) -> Iterator[str]:
    tried, run = rows[name].get("simulated"), rows[name].get("run")
    if not tried:
        yield from [""] * 5
        return
    yield f"{tried['cases']:,}"
    yield f"{_rate(run) * sum(tried['faults'].values()) / tried['cases']:.3g}" if run else ""
    yield f"{expected(tried, 'faults', seconds / 60 * _rate(run)):.1f}" if run else ""
    yield str(len(_alone(rows, name, "simulated", "faults")))
    yield f"{expected(tried, 'published', 60 * _rate(run)):.1f}" if run else ""


def _agreement(rows: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line on how well the rows' ranks by planted and by simulated faults agree, for as many cases."""
    both = [row for row in rows.values() if "planted" in row and "simulated" in row]
    if len(both) > 2:
        planted = [float(len(row["planted"]["faults"])) for row in both]
        simulated = [expected(row["simulated"], "faults", row["planted"]["cases"]) for row in both]
        agreement = rank_correlation(planted, simulated)
        yield f"\nRank correlation of planted and simulated faults, in as many cases: {agreement:.2f}."


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Return Spearman's rank correlation; equal values share their mean rank."""
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _ranks(numbers: Sequence[float]) -> list[float]:
    return [sum(x < number for x in numbers) + sum(x == number for x in numbers) / 2 for number in numbers]


def _rate(run: Mapping[str, Any]) -> float:
    """Return the cases in a minute."""
    return float(60 * run["cases"] / run["seconds"])


def expected(tried: Mapping[str, Any], what: str, cases: float, group: str = "") -> float:
    """Return how many different faults a number of cases exposes on average, of all faults or of one group."""
    groups = {fault.name: fault.group for fault in FAULTS}
    shares = (n / tried["cases"] for name, n in tried[what].items() if not group or groups.get(name) == group)
    return sum(1 - (1 - share) ** cases for share in shares)


def _alone(rows: Mapping[str, Any], name: str, part: str, what: str) -> set[str]:
    """Return the faults that a row found and no other row did."""
    others = (row[part][what] for other, row in rows.items() if other != name and part in row)
    return set(rows[name][part][what]).difference(*others)


def _lanes_table(rows: Mapping[str, Any]) -> Iterator[str]:
    """Yield the table of how often campaigns expose a fault of 8-bit lanes."""
    if not rows:
        return
    yield "### Faults of 8-bit lanes\n"
    yield "A minimum, maximum or arg reduction of int8 or uint8 over 8 or more contiguous elements reads zeros from"
    yield "lanes that hold no element.\n"
    yield "| campaign | cases | have one | its values bite | exposed | cases a minute | exposed in a minute |"
    yield "|---" * 7 + "|"
    for name, row in rows.items():
        lanes, rate = row["lanes"], _rate(row["run"]) if "run" in row else 0.0
        cells = [f"{lanes[key]:,}" for key in ("cases", "have", "meet", "expose")]
        yield f"| {name} | {' | '.join(cells)} | {rate:.3g} | {rate * lanes['expose'] / lanes['cases']:.3f} |"
    if THEN in rows and NOW in rows and all("run" in rows[name] for name in (THEN, NOW)):
        then, now = (rows[name]["lanes"]["expose"] / rows[name]["lanes"]["cases"] for name in (THEN, NOW))
        ratio = now * _rate(rows[NOW]["run"]) / (then * _rate(rows[THEN]["run"]))
        wall = now * 60 * rows[NOW]["run"]["cases"] / rows[NOW]["run"]["wall_s"] / (then * 60 / _LANES_THEN_S)
        yield f"\nIn the same processor time, today's campaign exposes such a fault {ratio:.1f} times as often. On"
        yield f"the clock it does so {wall:.1f} times as often: a case took {_LANES_THEN_S} s then."
    yield ""


if __name__ == "__main__":
    main()
