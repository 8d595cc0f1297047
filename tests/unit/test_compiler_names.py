"""A compiler's properties stand in its file: no other file of the package asks for a compiler by its name."""

from __future__ import annotations

import re
from pathlib import Path

import polyjuice
from polyjuice import compilers
from polyjuice.frameworks import registry

PACKAGE = Path(polyjuice.__file__).parent

WORDS = {"eager", "numpy"}
"""Names that are also words: a stage of a run, and a library. A format may have the name of a compiler, too."""


def test_no_other_file_names_a_compiler() -> None:
    names = "|".join(sorted({*compilers.names()} - WORDS - {*registry.names()}))
    found = [
        f"{path.relative_to(PACKAGE)}: {match[0]}"
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in (".py", ".html", ".js") and path.parent.name != "compilers"
        for match in re.finditer(rf"([\"'`])(?:{names})\1|--compiler (?:{names})", path.read_text(encoding="utf-8"))
    ]
    assert not found
