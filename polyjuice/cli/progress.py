"""What a campaign shows while it runs: a panel on a terminal, or a line now and then; and its log."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table

from polyjuice.campaign.config import Config
from polyjuice.campaign.loop import TESTING
from polyjuice.campaign.processes import PHASES
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import PROBE, busy_s
from polyjuice.campaign.store import Store
from polyjuice.cli.common import stderr
from polyjuice.triage.automatic import Triaged
from polyjuice.wording import counted, duration, visible

_FIRST_S, _EVERY_S = 5.0, 15.0
"""Without a terminal, the seconds before the first line, and between two, unless the campaign begins something else."""

_WIDEST = 100
"""The widest panel, in characters."""

_SLICES, _BARS = 24, "▁▂▃▄▅▆▇█"
"""The slices of time in the curve of causes, and its heights."""


class CampaignProgress:
    """A campaign's progress and its log; it receives each result."""

    def __init__(self, config: Config, store: Store) -> None:
        self._config = config
        counts, spent = store.summary(), store.spent()
        self._done: int = counts["tested"] + counts["skipped"]
        self._skipped: int = counts["skipped"]
        self._programs: int = counts["programs"]
        self._findings, self._known = counts["raw_findings"], sum(counts["known"].values())
        self._triaged = 0
        self._causes: list[float] = []
        """The moments of new causes in this run, on the monotonic clock."""
        self._causes_before = counts["causes"]
        self._busy_s = self._inside_s = 0.0
        self._workers = config.workers or 1
        self._busy_before_s = spent["busy_s"]
        self._cases_before_s = spent["cases_s"]
        self._probed_s = 0.0
        self._phase, self._left_s = PHASES[0].format(compiler=config.compiler), 0.0
        self._began, self._told, self._told_phase = time.monotonic(), 0.0, ""
        _mend(store.folder / "log", store)
        self._log = (store.folder / "log").open("a", encoding="utf-8", buffering=1)
        self._live = Live(get_renderable=self._panel, console=stderr, transient=True, refresh_per_second=2)

    def __enter__(self) -> Self:
        if stderr.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()
        with suppress(OSError):  # a full disk, which ended the campaign; the next one mends the log
            self._log.close()

    def _write(self, line: str) -> None:
        self._log.write(visible(line) + "\n")

    def case(self, result: CaseResult) -> None:
        """Show and log the result of a case."""
        self._probed_s += result.seconds.get(PROBE, 0.0) / self._workers
        self._busy_s += busy_s(result.seconds)
        self._inside_s += result.seconds.get("compile", 0.0) + result.seconds.get("run", 0.0)
        self._done += 1
        self._programs += result.programs
        self._skipped += bool(result.skipped)
        self._found(result)

    def confirmed(self, result: CaseResult) -> None:
        """Show and log the findings of a postponed case."""
        self._found(result)

    def _found(self, result: CaseResult) -> None:
        self._findings += len(result.findings)
        self._known += len(result.known)
        self._write(_log_line(result))
        for finding in result.findings:
            what = f"[cyan]known bug[/cyan] {escape(finding.known)}" if finding.known else "[red]finding[/red]"
            stderr.print(f"{what} {escape(finding.folder)}: {escape(finding.message)}")
        for problem in [*([] if result.false else result.unsound), *filter(None, [result.defect])]:
            stderr.print(f"[magenta]fault in Polyjuice itself[/magenta], case {result.index}: {escape(problem)}")

    def died(self, work: str) -> None:
        """Show and log what a process of the campaign did when it died."""
        line = f"a process of the campaign died; another one repeats its work: {work}"
        self._write(line)
        stderr.print(f"polyjuice: {escape(line)}")

    def triaged(self, result: Triaged, known: str) -> None:
        """Show and log the result of a finding's triage; ``known`` is the URL of the known bug that it is, or ""."""
        self._known += bool(known)
        self._findings -= bool(known)
        self._triaged += not known and not result.ended and not result.group
        if result.record and not known:
            self._causes.append(time.monotonic())
        known = known or (str(result.record.get("known", "")) if result.record else "")
        line = f"triage {result.name}: {_outcome(result, known)}"
        self._write(f"{line} {result.seconds:.1f} s")
        colour = "magenta" if result.defect else "cyan" if known else "red"
        if not result.group:
            stderr.print(f"[{colour}]triage[/{colour}] {escape(line.removeprefix('triage '))}")

    def note(self, text: str) -> None:
        """Show and log what a person should know of the campaign's processes."""
        self._write(text)
        stderr.print(f"polyjuice: {escape(text)}")

    def goes_on(self, phase: str, left_s: float, workers: int) -> None:
        """Show what the campaign does now; without a terminal, print a line where it is time for one."""
        self._phase, self._left_s, self._workers = phase, max(left_s, 0.0), workers
        now = time.monotonic()
        if stderr.is_terminal or now - self._began < _FIRST_S:
            return
        if now - self._told >= _EVERY_S or phase != self._told_phase:
            self._told, self._told_phase = now, phase
            parts = [phase, *([self._cases, self._speed, self._found_so_far] if self._done else []), self._left]
            stderr.print(f"{now - self._began:6.0f} s  {'; '.join(filter(None, parts))}", soft_wrap=True)

    @property
    def _spent_s(self) -> float:
        """The seconds that count in ``--time``."""
        return self._cases_before_s + time.monotonic() - self._began - self._probed_s

    @property
    def _cases(self) -> str:
        of = ""
        if self._config.cases is not None:
            of = f" of {self._config.cases:,}"
        elif self._phase == TESTING and self._config.time_s and self._spent_s > 0:
            of = f" of about {round(self._done * self._config.time_s / self._spent_s):,}"
        done = f"{self._done:,}{of} cases" if of else counted(self._done, "case")
        return done + (f", {self._skipped:,} skipped" if self._skipped else "")

    @property
    def _speed(self) -> str:
        if not self._busy_s:
            return ""
        rate = self._programs / (self._busy_before_s + self._busy_s / self._workers)
        return f"{rate:.3g} programs/s, {100 * self._inside_s / self._busy_s:.0f} % inside the compiler"

    @property
    def _found_so_far(self) -> str:
        triaged = f" ({self._triaged} triaged)" if self._triaged else ""
        known = f", {self._known} known" if self._known else ""
        return f"{counted(self._findings, 'finding')}{triaged}{known}"

    @property
    def _growth(self) -> str:
        """The number of causes, when the last one was new, and a curve of their number over this run."""
        now, number = time.monotonic(), self._causes_before + len(self._causes)
        if not self._causes:
            return counted(number, "cause")
        slice_s = max(now - self._began, 1.0) / _SLICES
        counts = [sum(at <= self._began + slice_s * (n + 1) for at in self._causes) for n in range(_SLICES)]
        curve = "".join(_BARS[round(count / counts[-1] * (len(_BARS) - 1))] for count in counts) if counts[-1] else ""
        return f"{counted(number, 'cause')}, the last new one {duration(now - self._causes[-1])} ago  {curve}"

    @property
    def _left(self) -> str:
        if self._phase != TESTING:
            return "" if not self._done or self._left_s == float("inf") else f"{duration(self._left_s)} left at most"
        if self._config.cases is None:
            return f"{duration(self._left_s)} left"
        rate = self._done / max(time.monotonic() - self._began, 0.1)
        return f"about {duration((self._config.cases - self._done) / rate)} left" if rate else ""

    def _panel(self) -> Panel:
        total, done = self._config.cases or self._config.time_s or 1.0, float(self._done)
        if self._config.cases is None:
            done = self._spent_s if self._done else 0.0
        rows = Table.grid(padding=(0, 2))
        for name, text in {
            "cases": self._cases,
            "speed": self._speed,
            "findings": self._found_so_far,
            "causes": self._growth,
            "time": f"{duration(time.monotonic() - self._began)} since the start"
            + (f", {self._left}" if self._left else ""),
        }.items():
            rows.add_row(f"[bold]{name}", escape(text))
        title = f"{self._config.compiler}: {self._phase}"
        rows.add_row("", ProgressBar(total, min(done, total)))
        return Panel(rows, title=escape(title), title_align="left", width=min(stderr.width, _WIDEST))


def _outcome(result: Triaged, known: str) -> str:
    if result.defect:
        return f"fault in Polyjuice itself: {result.defect}"
    if result.ended:
        return "out of time; --resume continues it"
    if known:
        return f"known: {known}"
    if result.group:
        return f"waits in group: {result.group.text}"
    if result.problem:
        return f"not reduced: {result.problem}"
    if result.record:
        *first, last = result.record["operators"].values()
        return f"{' and '.join([*map(str, first), counted(last, 'operator')])} left, {result.cause}"
    return f"duplicate of {result.cause}: {result.why}"


def _mend(log: Path, store: Store) -> None:
    """Complete the log of a campaign that was killed, or whose disk was full: add the stored cases that it lacks."""
    whole, *_ = (log.read_bytes() if log.exists() else b"").rpartition(b"\n")
    logged = {int(index) for index in re.findall(rb"^case (\d+) ", whole, re.MULTILINE)}
    lacking = [result for result in store.results() if result.index not in logged]
    if log.exists():
        os.truncate(log, len(whole) + bool(whole))
    if lacking:
        with log.open("a", encoding="utf-8") as file:
            file.writelines(visible(_log_line(result)) + "\n" for result in lacking)


def _log_line(result: CaseResult) -> str:
    spent = " ".join(f"{name}={seconds:.3f}" for name, seconds in result.seconds.items() if seconds >= 0.0005)
    what = f"skipped: {result.skipped}" if result.skipped else f"programs={result.programs} pairs={result.pairs}"
    found = [f"{f.kind} {f.folder}: {f.message}" for f in result.findings]
    found += [f"known: {url}" for url in result.known]
    found += [f"flaky: {t}" for t in result.flaky] + [f"duplicate: {t}" for t in result.duplicates]
    found += [f"the compiler changed {t}: its process was replaced" for t in result.disturbed]
    found += [f"unsound: {t}" for t in result.unsound]
    found += [f"accepted: {result.accepted}"] if result.accepted else []
    found += ["postponed: Polyjuice confirms it after other cases"] if result.postponed else []
    found += [f"defect: {result.defect}"] if result.defect else []
    return "\n    ".join([f"case {result.index} {what} {spent}", *found])
