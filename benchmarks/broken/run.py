"""Run broken models, findings, suites and campaigns through every command that reads one, and count the answers.

    python benchmarks/broken/run.py -n 20000 --out FOLDER             continues where it stopped
    python benchmarks/broken/run.py -n 20000 --out FOLDER --table     only write the table again
    python benchmarks/broken/run.py --out FOLDER --show 123           run one mutant, and print what each command says

Mutant I of a seed is the same wherever it is made. ``FOLDER`` gets the answers, one line a mutant. A mutant whose
answer was a fault is run once more by ``--again``. Exit status: 0 where there is no fault, 1 where there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.broken import bases  # noqa: E402
from benchmarks.broken.answers import FAULTS, FINE, LIMIT_S, Answer, Surroundings, answers, counted  # noqa: E402
from benchmarks.broken.commands import COMMANDS, NAMES  # noqa: E402
from benchmarks.broken.mutate import KINDS, Mutant, make  # noqa: E402


def main() -> None:
    """Run what the arguments ask for."""
    options = _options()
    out: Path = options.out.resolve()
    if options.shard is not None:
        _shard(out, options)
        return
    if options.show is not None:
        _show(out, options)
        return
    out.mkdir(parents=True, exist_ok=True)
    if options.again:
        _forget_faults(out)
    if not options.table:
        bases.made(out / "made")
        command = [sys.executable, __file__, "-n", str(options.count), "--seed", str(options.seed), "--out", str(out)]
        command += ["--workers", str(options.workers), *(["--kind", options.kind] if options.kind else [])]
        shards = [
            subprocess.Popen([*command, "--shard", str(shard)], start_new_session=True)
            for shard in range(options.workers)
        ]
        for shard in shards:
            shard.wait()
    records = list(_records(out))
    faults = sum(answer["answer"] in FAULTS for record in records for answer in record["answers"])
    text = table(records)
    if options.write:
        options.write.write_text(_HEAD + text, "utf-8")
    print(text)
    for line in distinct(records):
        print(line)
    sys.exit(1 if faults else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", dest="count", type=int, default=1000, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="the folder for answers")
    parser.add_argument("--workers", type=int, default=1, help="how many processes")
    parser.add_argument("--kind", choices=[*KINDS], default="", help="only mutants of this kind, instead of all")
    parser.add_argument("--again", action="store_true", help="run the mutants anew whose answer was a fault")
    parser.add_argument("--table", action="store_true", help="run nothing")
    parser.add_argument("--write", type=Path, help="write the table to this file")
    parser.add_argument("--show", type=int, help="run this mutant alone, and print what commands say")
    parser.add_argument("--shard", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _shard(out: Path, options: argparse.Namespace) -> None:
    from benchmarks.broken import process

    around = Surroundings(out / f"s{options.shard}")
    shutil.rmtree(around.root, ignore_errors=True)
    around.make()
    process.prepare(around, out / "cache")
    path = out / f"answers-{options.shard}.jsonl"
    done = {record["index"] for record in _records(out)}
    with path.open("a", encoding="utf-8") as stream:
        for index in range(options.count):
            if index % options.workers != options.shard or index in done:
                continue
            process.start_servers()
            mutant, said = one(options.seed, index, around, out / "made", options.kind)
            stream.write(json.dumps(_record(mutant, said)) + "\n")
            stream.flush()
    shutil.rmtree(around.root, ignore_errors=True)


def one(
    seed: int, index: int, around: Surroundings, made: Path, kind: str = "", limit_s: float = LIMIT_S
) -> tuple[Mutant, list[Answer]]:
    """Make a mutant, and return what its commands answer. A hang is tried again: the machine may have been busy."""
    shutil.rmtree(around.mutant, ignore_errors=True)
    mutant = make(seed, index, around.mutant, made, kind)
    said = list(answers(around, COMMANDS[mutant.kind], limit_s))
    if any(answer.answer == "hang" for answer in said):
        shutil.rmtree(around.mutant, ignore_errors=True)
        make(seed, index, around.mutant, made, kind)
        said = list(answers(around, COMMANDS[mutant.kind], limit_s))
    shutil.rmtree(around.mutant, ignore_errors=True)
    return mutant, said


def _show(out: Path, options: argparse.Namespace) -> None:
    from benchmarks.broken import process

    bases.made(out / "made")
    around = Surroundings(out / "shown")
    shutil.rmtree(around.root, ignore_errors=True)
    around.make()
    process.prepare(around, out / "cache")
    mutant, said = one(options.seed, options.show, around, out / "made", options.kind)
    print(mutant)
    for answer in said:
        print(
            f"--- {answer.command}: {answer.answer} ({answer.status}) {answer.seconds:.2f} s {answer.where}\n"
            f"{answer.text}"
        )
    make(options.seed, options.show, around.mutant, out / "made", options.kind)
    print(f"its files: {around.mutant}")
    os._exit(0)


def _record(mutant: Mutant, said: Sequence[Answer]) -> dict[str, Any]:
    given = [
        {"command": a.command, "answer": a.answer, "s": round(a.seconds, 2)}
        | ({} if a.answer in FINE else {"status": a.status, "where": a.where, "text": a.text})
        for a in said
    ]
    return {"index": mutant.index, "row": mutant.row, "changes": mutant.changes, "answers": given}


def _records(out: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(out.glob("answers-*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield json.loads(line)


def _forget_faults(out: Path) -> None:
    for path in sorted(out.glob("answers-*.jsonl")):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        kept = [line for line in lines if not any(a["answer"] in FAULTS for a in json.loads(line)["answers"])]
        path.write_text("".join(kept), "utf-8")


_HEAD = """# Broken models

Commands that read mutants of models, findings, suites, campaigns and exported programs. A cell counts the mutants that
a command read (status 0 or 1), then those that it refused in one line (status 2). Faults would follow: a traceback,
status 3, a hang (20 s, longer on a busy machine), a crash, several lines, a stray file, control characters in the
output.

A row is the kind of the mutant and the class of its first change.

"""


def table(records: Sequence[dict[str, Any]]) -> str:
    """The counts of answers as Markdown: a table of classes and commands for models, and one for all else."""
    cells: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    mutants = Counter(record["row"] for record in records)
    for record in records:
        for answer in record["answers"]:
            cells[record["row"], answer["command"]][answer["answer"]] += 1
            cells["all", answer["command"]][answer["answer"]] += 1
    text = f"{len(records)} mutants, {sum(sum(c.values()) for (row, _), c in cells.items() if row != 'all')} answers.\n"
    for is_model in (True, False):
        rows = [row for row in sorted(mutants) if row.startswith("model:") == is_model]
        names = [name for name in NAMES if any((row, name) in cells for row in rows)]
        if rows:
            text += f"\n| mutant | number | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}\n"
        for row in rows:
            found = [counted(cells[row, name]) if (row, name) in cells else "" for name in names]
            text += f"| {row} | {mutants[row]} | {' | '.join(found)} |\n"
    return text


def distinct(records: Sequence[dict[str, Any]]) -> list[str]:
    """Each distinct fault on a line: how often, what, where, in which commands, and some mutants."""
    found: dict[tuple[str, str], list[tuple[str, int, tuple[str, ...]]]] = defaultdict(list)
    for record in records:
        for answer in record["answers"]:
            if answer["answer"] in FAULTS:
                found[answer["answer"], answer["where"]].append(
                    (answer["command"], record["index"], tuple(record["changes"]))
                )
    lines = []
    for (answer, where), met in sorted(found.items(), key=lambda item: -len(item[1])):
        commands = ", ".join(sorted({command for command, _, _ in met}))
        examples = "; ".join(f"{index} ({'+'.join(changes)})" for _, index, changes in met[:3])
        lines.append(f"- {len(met)} x {answer}: {where} [{commands}] e.g. {examples}")
    return lines


if __name__ == "__main__":
    main()
