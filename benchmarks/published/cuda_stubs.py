"""Stubs of CUDA's libraries, so that Torch's CUDA wheels can be imported on a machine without these libraries.

Torch's libraries name CUDA's as dependencies, so the dynamic linker refuses to load them alone. A stub is a library of
the same name, whose functions all return ``cudaErrorNoDevice``. Torch then finds no device, and its CPU compiler works.
Building stubs needs ``gcc`` and ``readelf``.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

NO_DEVICE = 100
"""``cudaErrorNoDevice``, which all functions return."""

_CUDA_LIBRARY = re.compile(r"lib(cu|nv|nccl)")
_CUDA_SYMBOL = re.compile(r"_*(cu|nv|nccl)", re.IGNORECASE)
_NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
_FILE = re.compile(r"File: (\S+)")
_VERSION = re.compile(r"Name: (\S+)")


@dataclass(frozen=True)
class _Library:
    """The facts in a library's dynamic section."""

    needs: frozenset[str]  # names of libraries
    versions: dict[str, str]  # of the symbols that it imports: version to library
    defines: frozenset[str]
    lacks: frozenset[tuple[str, str]]  # undefined symbols of CUDA, with their versions


def add_to(folder: Path) -> None:
    """Add stubs of the libraries that those in ``torch/lib`` need and do not find."""
    paths = {*folder.glob("*.so*"), *folder.parent.glob("_C*.so")}
    present = {path.name for path in paths}
    libraries = [_read(path) for path in sorted(paths)]
    defined = frozenset().union(*(library.defines for library in libraries))
    stubs: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for library in libraries:
        missing = {name for name in library.needs - present if _CUDA_LIBRARY.match(name)}
        for name in missing:
            stubs[name] |= {
                (symbol, version)
                for symbol, version in library.lacks
                if library.versions.get(version, name) == name and (version or symbol not in defined)
            }
    for name, symbols in stubs.items():
        _build(folder / name, symbols)


def _read(path: Path) -> _Library:
    shown = subprocess.run(
        ["readelf", "--wide", "--dynamic", "--version-info", "--dyn-syms", path],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    versions: dict[str, str] = {}
    defines, lacks = set(), set()
    source = ""
    for line in shown.splitlines():
        if file := _FILE.search(line):
            source = file[1]
        elif source and (version := _VERSION.search(line)):
            versions[version[1]] = source
        elif len(fields := line.split()) >= 8 and fields[0].removesuffix(":").isdigit():
            symbol, _, version_of = fields[7].partition("@")
            if fields[6] != "UND":
                defines.add(symbol)
            elif _CUDA_SYMBOL.match(symbol):
                lacks.add((symbol, version_of.lstrip("@")))
    return _Library(frozenset(_NEEDED.findall(shown)), versions, frozenset(defines), frozenset(lacks))


def _build(stub: Path, symbols: set[tuple[str, str]]) -> None:
    """Compile a library that defines these symbols in these versions."""
    by_version: dict[str, list[str]] = defaultdict(list)
    for symbol, version in sorted(symbols):
        by_version[version].append(symbol)
    by_version.pop("", [])
    with tempfile.TemporaryDirectory() as folder:
        source, script = Path(folder) / "stub.c", Path(folder) / "stub.map"
        names = {symbol for symbol, _ in symbols}
        source.write_text("".join(f"long {name}(void) {{ return {NO_DEVICE}; }}\n" for name in sorted(names)))
        nodes = [f"{version} {{ global: {'; '.join(them)}; }};\n" for version, them in by_version.items()]
        script.write_text("".join(nodes))
        options = [f"-Wl,-soname,{stub.name}", *([f"-Wl,--version-script={script}"] if nodes else [])]
        subprocess.run(["gcc", "-w", "-fno-builtin", "-shared", "-fPIC", "-o", stub, source, *options], check=True)
