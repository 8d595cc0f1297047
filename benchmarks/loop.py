"""The time of one pass of a campaign's loop, while the number of stored findings grows.

A pass stores a case with a finding, sorts the finding, and publishes what has changed. It must take as long with 10,000
stored findings as with 100. Of these, nine in ten have a cause, and the others wait for triage.

    .venv/bin/python benchmarks/loop.py --findings 100 1000 10000
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Timing
from polyjuice.campaign.store import Store
from polyjuice.campaign.triage import Triage
from polyjuice.triage import FindingRecord
from polyjuice.triage.automatic import Group, Triaged

_PASSES = 50
_TEXT = "x" * 4000  # about the length of a record


def finding(folder: Path, index: int) -> FindingRecord:
    """Write a finding of a case. Return its record."""
    name = f"{index:06d}-0-mismatch"
    record = FindingRecord(
        kind="mismatch", oracle="differential", compiler="numpy", versions={"numpy": "1"}, seed=0, index=index,
        profile="exact", comparison="bitwise", signature=f"mismatch {index % 50}", message=_TEXT, a="min", b="max",
        culprit="",
        rules=(), operators={"min": 1}, idioms={}, broken="", regression="", repro_exit=1, folder=name,
        output=0, inputs=0, profiles=["exact"], level="", conditions={}, choices={},
    )  # fmt: skip
    (folder / "raw" / name).mkdir(parents=True)
    (folder / "raw" / name / "finding.json").write_text(json.dumps(asdict(record)))
    return record


def passes(folder: Path, count: int) -> tuple[float, float]:
    """Return the milliseconds of processor time of one pass with this number of findings, and of reading them."""
    config = Config(compiler="numpy", cases=2 * count, workers=2)
    store = Store.create(folder, config)
    with store.transaction():
        for index in range(count):
            record = finding(folder, index)
            store.add(CaseResult(index=index, pairs=1, findings=[record]), 1.0)
            if index % 10:
                store.add_triaged(Triaged(name=record.folder, cause=f"cause {index % (count // 10)}"))
            else:
                store.add_group(record.folder, Group(f"group {index % 500}"), 0)
    began = time.process_time()
    triage, timing = Triage(config, store), Timing(time_s=None, before={}, began=time.monotonic())
    read = time.process_time()
    for index in range(count, count + _PASSES):
        triage.add(store.add(CaseResult(index=index, pairs=1, findings=[finding(folder, index)]), 1.0).findings)
        job = triage.next(timing, cases=True)
        assert job
        triage.finish(job, [Triaged(name=path.name, cause=f"cause {index % 10}") for path in job.folders])
    return 1e3 * (time.process_time() - read) / _PASSES, 1e3 * (read - began)


def main() -> None:
    """Print a line for each number of findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--findings", type=int, nargs="*", default=[100, 1000, 10000])
    for count in parser.parse_args().findings:
        with TemporaryDirectory() as folder:
            one, read = passes(Path(folder) / "campaign", count)
        print(f"{count:6,} findings: {one:6.2f} ms a pass; {read:8.1f} ms to read them when the campaign is continued")


if __name__ == "__main__":
    main()
