"""The formats of programs: one folder each, whose ``format.py`` has one object that names all parts of the format.

A format names its parts by text, and they are imported only when they are used. So any package may import this module.
Other distributions add formats by entry points in the group ``polyjuice.formats``: each names a module whose ``FORMAT``
is a :class:`Format`.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from polyjuice import plugins

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Part:
    """A part of a format, by the place where it is defined: ``module:name``."""

    place: str

    def load(self) -> Any:
        """Import the module and return the part. Raises ImportError or AttributeError where there is none."""
        module, _, name = self.place.partition(":")
        return getattr(importlib.import_module(module), name)


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format in which programs are written: Python source for a framework, or a serialized model."""

    name: str
    """The name in compiler files, options and stored findings."""

    title: str
    """The framework's name, as people write it."""

    lower: Part
    """A function of a graph, a :class:`~polyjuice.frameworks.choosers.Chooser` and a
    :class:`~polyjuice.frameworks.request.Request` that returns the artifact. It raises Unlowerable where the format
    cannot express the graph."""

    rendering: Part
    """A :class:`~polyjuice.frameworks.rendering.Rendering`: how reproducers write arrays and read results."""

    valid: str
    """The sentence by which a report says that a program is valid."""

    binary: bool = False
    """Whether the source is a serialized model; otherwise it is Python text."""

    suffix: str = "py"
    """The ending of a program's file."""

    in_suites: bool = True
    """Whether new suites have the format unless the user chooses others."""

    dialect: Part | None = None
    """A :class:`~polyjuice.frameworks.source.Dialect`, if programs are made of its texts of operators."""

    forms: Part | None = None
    """The forms that its programs declare (:mod:`polyjuice.frameworks.forms`), if they declare any."""

    settings: Part | None = None
    """The settings of whole programs by name, the plain one first, if there are any."""

    layouts: Part | None = None
    """The memory layouts of inputs, the usual one first, if programs can be called with several."""

    versions: Part | None = None
    """A function of an operator's name and an element type that returns the operator's versions, if it has any: their
    numbers, each with the versions of the format that have it."""

    without_forms: Part | None = None
    """A function of lowering choices and a version of the format, which returns the choices of the plain form. Formats
    without it have no forms that reduction cuts all at once."""

    decompose: Part | None = None
    """A function that writes a graph in the operators that the format itself has, if they are those of graphs."""

    product: str = ""
    """The product whose version a report names, where that is not the compiler."""

    written_for: str = ""
    """The framework release in which every lowering choice has run (the same as in ``constraints.txt``), if the source
    is Python."""

    updates: bool = False
    """Whether programs may write into their inputs."""

    dynamic_types: bool = False
    """Whether programs have Python numbers as operands, which promote types, and complex numbers."""

    ordered_ties: bool = True
    """Whether the framework defines which of equal elements wins."""

    edge_defined: bool = False
    """Whether the uncompiled run defines the results for NaN, infinities and ties, for any program."""

    left_open: bool = False
    """Whether its standard leaves some results open, so that no uncompiled run is always right: those of integers that
    leave their type, and those of disputed operators."""

    on_gpu: bool = True
    """Whether compilers of the format may run on a GPU."""

    widen: Part | None = None
    """A function that returns an artifact in float64, or None for a program whose runs never agree. Without it, no
    uncompiled run judges results that the interpreter leaves open."""

    split: Part | None = None
    """A function that splits a user's program into steps, if there is one (:mod:`polyjuice.frameworks.split`)."""

    environment: Part | None = None
    """A function of a Python interpreter that returns the framework's own description of it, if there is one."""

    read: Part | None = None
    """A function that returns the graph of a user's program on inputs, if there is one."""

    read_callable: Part | None = None
    """A function of a user's callable, its arguments, its keyword arguments and its name, which returns the model."""

    read_exported: Part | None = None
    """A function of a file that returns the model that the framework exported to the file."""

    read_at_sizes: Part | None = None
    """The same with a key that draws sizes for dynamic dimensions: it returns a model for each choice of sizes."""


def names() -> tuple[str, ...]:
    """The names of all formats, sorted: those of Polyjuice and those of other distributions."""
    own = {path.parent.name for path in _FOLDER.glob("*/format.py")}
    return tuple(sorted(own.union(plugins.entries(plugins.FORMATS))))


def in_suites() -> tuple[str, ...]:
    """The names of the formats that new suites have unless the user chooses others."""
    return tuple(name for name in names() if find(name).in_suites)


@cache
def find(name: str) -> Format:
    """The format of that name.

    Raises KeyError where there is none, and EnvironmentProblem where another package declares one that fails to load.
    """
    if (_FOLDER / name / "format.py").is_file():
        found = Part(f"polyjuice.frameworks.{name}.format:FORMAT").load()
    else:
        found = plugins.loaded(plugins.entries(plugins.FORMATS)[name], "FORMAT")
    assert isinstance(found, Format)
    return found
