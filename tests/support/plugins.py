"""Compilers of other packages: one file each, declared as an installed package declares it, and wrong on purpose."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CONTROL = """
from polyjuice.compilers import numpy as control
from polyjuice.compilers.numpy import *
from polyjuice.execution.protocol import from_wire, to_wire
"""
"""A plugin that is the numpy control under another name. Further code can make it wrong."""

CONTROL_INFO: Mapping[str, Any] = {
    "format": "onnx",
    "needs": "a test",
    "lacks": ["functions", "symbolic sizes", "constant nodes"],
    "repro_imports": "import {module} as compiler",
    "repro": """
def prepare(model, inputs):
    arrays = [compiler.to_wire(array) for array in inputs]
    compiled = compiler.compile(compiler.load({"source": model, "arrays": {}}), arrays)
    return lambda: [compiler.from_wire(array) for array in compiler.run(compiled, arrays)]
""",
}
"""Its `INFO`. `{module}` stands for the name of the module."""

LARGE = """
def is_large(program):
    return len(program.nodes) > 4

"""
"""Code that recognises the larger of two variants of the control."""


def importing_from(folder: Path) -> dict[str, str]:
    """The environment in which Python imports from a folder first."""
    return {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])}


def plugin(
    folder: Path, code: str = "", name: str = "fake", base: str = CONTROL, info: Mapping[str, Any] = CONTROL_INFO
) -> dict[str, str]:
    """Write the compiler file `name` and declare it. Return the environment in which Polyjuice finds it."""
    folder.mkdir(exist_ok=True)
    module = f"{name}_compiler"
    declaration = f"\nINFO = {dict(info)!r}\n".replace("{module}", module)
    (folder / f"{module}.py").write_text(base.format(module=module) + declaration + textwrap.dedent(code))
    metadata = folder / f"polyjuice_{name}-1.0.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: polyjuice-{name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[polyjuice.compilers]\n{name} = {module}\n")
    return importing_from(folder)


def wrong_without(*operators: str, knobs: bool = True) -> str:
    """Code by which a control adds 1 to its results for each of these operators in the program.

    A knob, such as ``no-relu``, switches the fault of an operator off.
    """
    return f"""
_disabled = set()

def start(options):
    _disabled.update(options.get("disable", ()))

def knobs():
    return {[*(f"no-{operator.lower()}" for operator in operators), "other"] if knobs else []}

def run(compiled, inputs):
    names = {{node.op for node in compiled.nodes}}
    wrong = sum(op in names and "no-" + op.lower() not in _disabled for op in {operators})
    return [(dtype, values + values.dtype.type(wrong)) for dtype, values in control.run(compiled, inputs)]
"""


def declared(folder: Path, group: str, name: str, code: str) -> dict[str, str]:
    """Write a module `NAME_plugin` and declare it as `name` of an entry-point group. Return its environment."""
    module = f"{name}_plugin"
    info = folder / f"polyjuice_{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / f"{module}.py").write_text(textwrap.dedent(code))
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: polyjuice-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}\n")
    return importing_from(folder)


def spoiled(folder: Path, code: str) -> dict[str, str]:
    return plugin(folder / "site", code, name="spoiled")
