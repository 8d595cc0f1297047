"""List the operators of ATen that Inductor lowers or decomposes and public functions reach, and how they are covered.

    python scripts/aten.py            each name, with its entry of the operator table or the reason why there is none
    python scripts/aten.py --missing  those alone that have neither; the exit status is then 1

The names come from the registries of the installed Torch. ``aten.toml`` has the reasons, by patterns of names.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import torch
import torch.nn.functional
from torch._inductor import decomposition, lowering

from polyjuice.frameworks.torch import aten
from polyjuice.frameworks.torch.aten.rules import RULES
from polyjuice.ops import TABLE

REASONS = Path(__file__).with_suffix(".toml")

_SPACES = {"special": torch.special, "linalg": torch.linalg, "fft": torch.fft}
_CALLED = re.compile(r"(?:torch|F|\})\.(?:special\.|linalg\.|nn\.functional\.)?([a-z]\w*)\(")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missing", action="store_true")
    options = parser.parse_args(arguments)
    entries, reasons = _entries(), _reasons()
    missing = 0
    for name in sorted(set(_registered())):
        covered = entries.get(name) or next((why for pattern, why in reasons if fnmatchcase(name, pattern)), "")
        missing += not covered
        if not covered or not options.missing:
            print(f"{name:40} {covered or 'neither in the table nor with a reason'}")
    return int(options.missing and missing > 0)


def _registered() -> Iterator[str]:
    """The names of operators, without in-place forms and derivatives, that a public function has."""
    for operator in (*lowering.lowerings, *decomposition.decompositions):
        space, _, name = str(operator).partition(".")
        name = name.split(".")[0].removesuffix("_")
        if space == "aten" and not name.startswith("_") and not name.endswith("_backward") and _is_public(name):
            yield name


def _is_public(name: str) -> bool:
    module, _, rest = name.partition("_")
    inner = _SPACES.get(module)
    places = (torch, torch.Tensor, torch.nn.functional)
    return hasattr(inner, rest) if inner else any(hasattr(place, name) for place in places)


def _entries() -> Mapping[str, str]:
    """By ATen's name the entry that is it, that Torch's text of an entry calls, or whose operators a rule takes."""
    found = {overload.split(".")[0]: "by a rule for exported programs" for overload in RULES}
    found |= {name: op.qualified for name, (op, _) in aten.called().items()}
    for op in TABLE.values():
        texts = op.texts("torch")
        for text in texts if isinstance(texts, tuple) else ():
            found.update((name.removesuffix("_"), op.qualified) for name in _CALLED.findall(text))
    return found | {op.name.split(".")[0]: op.qualified for op in TABLE.values() if op.domain == "aten"}


def _reasons() -> list[tuple[str, str]]:
    """Patterns of names, each with its reason."""
    table = tomllib.loads(REASONS.read_text())
    return [(pattern, row["why"]) for row in table["reason"] for pattern in row["names"].split()]


if __name__ == "__main__":
    sys.exit(main())
