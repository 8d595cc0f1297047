"""Make mutant ``index`` of a seed: the same files each time, in any process.

A mutant is a whole model, finding, suite, campaign or exported program, with one to three changes.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import DecodeError, EncodeError  # type: ignore[import-untyped]
from onnx import ModelProto

from benchmarks.broken import bases, damage, fields
from benchmarks.broken.model_parts import Inapplicable

KINDS: Mapping[str, float] = {"model": 73, "finding": 19, "suite": 6, "campaign": 1.5, "pt2": 0.5}
"""The kinds of mutants, each with its share of all mutants in percent."""

_MODEL_SHARES: Mapping[str, int] = {
    **dict.fromkeys(fields.CLASSES, 12),
    "names": 6,
    "cycles and nesting": 7,
    "the model": 9,
    "bytes": 14,
    "text": 2,
}
_FINDING_SHARES: Mapping[str, int] = {"json": 10, "npz": 5, "graph": 3, "bytes": 2}
_SUITE_SHARES: Mapping[str, int] = {"json": 8, "npz": 5, "program": 2, "xfail": 2, "bytes": 2}
_CAMPAIGN_SHARES: Mapping[str, int] = {"bytes": 3, "finding": 1}

_ATTEMPTS = 200
"""How often a change is drawn anew that does not apply."""


@dataclass(frozen=True)
class Mutant:
    """A mutant: its kind, the class of its first change, all changes, and the files as paths in its folder."""

    index: int
    kind: str
    group: str
    changes: tuple[str, ...]

    @property
    def row(self) -> str:
        """The row of the table."""
        return f"{self.kind}: {self.group}"


def make(seed: int, index: int, folder: Path, made: Path, kind: str = "") -> Mutant:
    """Write a mutant to a new folder. ``made`` has the files of :func:`benchmarks.broken.bases.made`."""
    rng = random.Random(f"{seed}/{index}")
    (drawn,) = rng.choices([*KINDS], [*KINDS.values()])
    folder.mkdir(parents=True)
    group, changes = _MAKERS[kind or drawn](rng, folder, made)
    return Mutant(index, kind or drawn, group, changes)


def broken_model(rng: random.Random, group: str = "", base: bytes | None = None) -> tuple[str, tuple[str, ...], bytes]:
    """The class, the changes and the bytes of a broken ONNX model."""
    group = group or rng.choices([*_MODEL_SHARES], [*_MODEL_SHARES.values()])[0]
    number = rng.randrange(len(bases.TEXTS)) if rng.random() < 0.5 else rng.randrange(len(bases.models()))
    data = bases.models()[number] if base is None else base
    if group == "bytes":
        names = [rng.choice(sorted(damage.BYTES)) for _ in range(rng.choice((1, 1, 2)))]
        for name in names:
            data = damage.BYTES[name](rng, data)
        return group, tuple(names), data
    if group == "text":
        return group, ("invalid_utf8",), _invalid_text(rng, data)
    for _ in range(_ATTEMPTS):
        model, changes = ModelProto.FromString(data), []
        try:
            for number in range(rng.choice((1, 1, 2, 3))):
                name = rng.choice(sorted(fields.CLASSES[group if number == 0 else rng.choice(sorted(fields.CLASSES))]))
                changes.append(name)
                _CHANGES[name](rng, model)
            return group, tuple(changes), model.SerializeToString(deterministic=True)
        except (Inapplicable, DecodeError, EncodeError):  # nothing to change, or too deep for a file
            continue
    return "bytes", ("truncate",), damage.truncate(rng, data)


_CHANGES = {name: change for changes in fields.CLASSES.values() for name, change in changes.items()}


def _invalid_text(rng: random.Random, data: bytes) -> bytes:
    """A text of the model (a name, an operator, a domain) with bytes that are not UTF-8."""
    model = ModelProto.FromString(data)
    graph = model.graph
    texts = [*(n.op_type for n in graph.node), *(v.name for v in (*graph.input, *graph.output)), graph.name]
    texts = [text.encode() for text in texts if text]
    text = rng.choice(texts or [b"\x0a"])
    return data.replace(
        text, b"\xff\xc0\x80\xed\xa0\x80"[: len(text)].ljust(len(text), b"\xfe"), rng.choice((1, 2, 99))
    )


def _model(rng: random.Random, folder: Path, made: Path) -> tuple[str, tuple[str, ...]]:
    group, changes, data = broken_model(rng)
    (folder / "model.onnx").write_bytes(data)
    if "external_data" in changes:
        (folder / "weights.bin").write_bytes(bytes(rng.choice((0, 16, 400))))
        (folder / "link.bin").symlink_to("../canary.txt")
        os.mkfifo(folder / "pipe")
    if rng.random() < 0.03:
        (folder / "test_data_set_0").mkdir()
        (folder / "test_data_set_0" / "input_0.pb").write_bytes(
            damage.BYTES[rng.choice(sorted(damage.BYTES))](rng, data[:40])
        )
    return group, changes


FINDING = Path("findings") / "found"
"""The finding in a mutant's folder, which is like a campaign's."""


def _finding(rng: random.Random, folder: Path, made: Path) -> tuple[str, tuple[str, ...]]:
    where = folder / FINDING
    compiler = "onnxruntime" if rng.random() < 0.1 else "numpy"
    bases.copy_finding(rng.randrange(len(bases.findings())), where, compiler)
    if rng.random() < 0.3:
        (where / "repro.py").write_text("print('it shows')\nraise SystemExit(1)\n", "utf-8")
    (group,) = rng.choices([*_FINDING_SHARES], [*_FINDING_SHARES.values()])
    return group, _break(rng, group, where, "finding.json")


def _suite(rng: random.Random, folder: Path, made: Path) -> tuple[str, tuple[str, ...]]:
    where = folder / "suite"
    bases.copy_suite(where)
    bases.copy_finding(0, folder / FINDING, "numpy")
    (group,) = rng.choices([*_SUITE_SHARES], [*_SUITE_SHARES.values()])
    if group == "xfail":
        return group, (_toml(rng, where / "xfail.toml"),)
    if group == "json" and rng.random() < 0.1:
        return group, (_damaged_json(rng, where / "suite.json"),)
    return group, _break(rng, group, where / "case-00000", "case.json")


def _break(rng: random.Random, group: str, folder: Path, record: str) -> tuple[str, ...]:
    """Break a file of a finding or a case."""
    if group == "json":
        return (_damaged_json(rng, folder / record),)
    if group == "npz":
        return (_damage(rng, folder / "inputs.npz", {**damage.NPZ, **damage.BYTES}),)
    if group in ("graph", "program"):
        path = folder / rng.choice(("a.onnx", "b.onnx"))
        _, changes, data = broken_model(rng, base=path.read_bytes())
        path.write_bytes(data)
        return changes
    path = rng.choice(sorted(path for path in folder.iterdir() if path.is_file()))
    if rng.random() < 0.25:
        path.unlink()
        if rng.random() < 0.3:
            path.mkdir()
        return (f"no {path.name}",)
    return (_damage(rng, path, damage.BYTES),)


def _damage(rng: random.Random, path: Path, changes: Mapping[str, damage.Damage]) -> str:
    name = rng.choice(sorted(changes))
    path.write_bytes(changes[name](rng, path.read_bytes()))
    return name


def _damaged_json(rng: random.Random, path: Path) -> str:
    name, text = damage.damaged_json(rng, path.read_bytes())
    path.write_bytes(text)
    return name


_TOML = (
    "xfail = 1",
    "xfail = [1]",
    "[xfail]\nx = 1",
    "[[xfail]]\ncase = 1\ncompiler = 2\nurl = 3",
    "[[xfail]]",
    "[[xfail]]\ncase = []",
    '[[xfail]]\ncase = "case-00000"\ncompiler = "numpy"\nurl = "u"\nversions = ">=x"',
    "x" * 9999,
    "a." * 3000 + "b = 1",
    "[" * 5000,
    '[[xfail]]\ncase = "case-00000"\ncompiler = "numpy"\nurl = "u"\nversions = 1',
    '[[xfail]]\ncase = "a"\ncompiler = "b"\nurl = "c"\nreason = 3',
)


def _toml(rng: random.Random, path: Path) -> str:
    if rng.random() < 0.5:
        return _damage(rng, path, damage.BYTES)
    path.write_text(rng.choice(_TOML), "utf-8")
    return "toml"


def _campaign(rng: random.Random, folder: Path, made: Path) -> tuple[str, tuple[str, ...]]:
    shutil.copytree(made / "campaign", folder / "campaign")
    (group,) = rng.choices([*_CAMPAIGN_SHARES], [*_CAMPAIGN_SHARES.values()])
    if group == "bytes":
        paths = sorted(path for path in (folder / "campaign").rglob("*") if path.is_file())
        path = rng.choice([*paths, *[p for p in paths if p.name == "campaign.sqlite"] * len(paths)])
        return group, tuple(_damage(rng, path, damage.BYTES) for _ in range(rng.choice((1, 1, 3))))
    where = folder / "campaign" / "findings" / "000000-0-mismatch"
    bases.copy_finding(rng.randrange(len(bases.findings())), where, "numpy")
    return group, _break(rng, "json", where, "finding.json")


def _pt2(rng: random.Random, folder: Path, made: Path) -> tuple[str, tuple[str, ...]]:
    data = (made / "model.pt2").read_bytes()
    changes = damage.PT2 if rng.random() < 0.7 else damage.BYTES
    name = rng.choice(sorted(changes))
    (folder / "model.pt2").write_bytes(changes[name](rng, data))
    return ("archive" if changes is damage.PT2 else "bytes"), (name,)


_MAKERS = {"model": _model, "finding": _finding, "suite": _suite, "campaign": _campaign, "pt2": _pt2}
