"""Inductor's kernels of several programs in one translation unit.

Most of what g++ takes for a kernel it takes for every kernel anew: headers, templates, the linker. Here Inductor
generates the code of several programs while its own compile step is held back; then all kernels are compiled together,
with the flags that Inductor chose for each.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import shlex
import subprocess
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import accumulate, count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*(?:include\b|define[ \t]+PY_SSIZE_T_CLEAN\b).*$", re.MULTILINE)
"""What must stand outside of a namespace."""

HEADER = re.compile(r'^#include "(/.*)"$', re.MULTILINE)
"""A header at a place of its own."""

_SOURCE, _OUTPUT = "{source}", "{output}"
"""Stand for the files' names in a command."""

_ADDRESS = "_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR"
"""The environment variable in which Inductor tells a kernel's bindings how to reach a tensor's data."""


class Unbuilt(BaseException):
    """A kernel was called before it was built. No exception, so that nothing between here and there handles it."""


class _HeldBack(BaseException):
    """Inductor asked for a shared object."""

    def __init__(self, source: str, command: Sequence[str]) -> None:
        self.source = source
        self.command = tuple(command)


class _Kernel:
    """Stands for a kernel of Inductor's. RuntimeError says that it was built and is none."""

    def __init__(self, source: str, command: tuple[str, ...], bound: bool) -> None:
        self.source = source
        self.command = command
        self.bound = bound  # whether it is a function of a Python module
        self.function: Any = None
        self.problem = ""

    def __call__(self, *arguments: object) -> object:
        if self.problem:
            raise RuntimeError(self.problem)
        if self.function is None:
            raise Unbuilt
        return self.function(*arguments)


class Unit:
    """Holds kernels back, and builds them together.

    All of that happens under one `cache` of Inductor's, whose folder this release names in the environment.
    """

    def __init__(self, cache: AbstractContextManager[None]) -> None:
        self._cache = ExitStack()
        self._cache.enter_context(cache)
        self._folder = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"])
        self._headers: dict[str, Path] = {}
        self._kernels: dict[tuple[str, tuple[str, ...]], _Kernel] = {}

    @contextmanager
    def holding_back(self) -> Iterator[None]:
        """Inductor gets a `_Kernel` for each kernel that it asks for, wherever this release asks as we know it."""
        codecache = torch._inductor.codecache
        owner: Any = getattr(codecache, "CppPythonBindingsCodeCache", None)
        bound = owner is not None
        owner, method = (owner, "load_pybinding") if bound else (codecache.CppCodeCache, "load")
        load = getattr(owner, method).__func__

        def held(cls: Any, *arguments: Any, **options: Any) -> Any:
            if cls is not owner:
                return load(cls, *arguments, **options)
            try:
                with _without_compiling():
                    return load(cls, *arguments, **options)
            except _HeldBack as what:
                kernel = self._kernel(what, bound)
                return kernel if bound else SimpleNamespace(kernel=kernel)

        with patch.object(owner, method, classmethod(held)):
            yield

    def _kernel(self, what: _HeldBack, bound: bool) -> _Kernel:
        source = HEADER.sub(self._lasting, what.source)
        key = source, what.command
        if key not in self._kernels:
            self._kernels[key] = _Kernel(source, what.command, bound)
        return self._kernels[key]

    def _lasting(self, line: re.Match[str]) -> str:
        """The line that includes a header of Inductor's: some releases write it anew, elsewhere, for each program."""
        path = Path(line[1])
        if Path(f"{path}.gch").exists():  # it is precompiled
            return line[0]
        text = path.read_text(encoding="utf-8")
        if text not in self._headers:
            self._headers[text] = self._folder / f"header_{len(self._headers)}.h"
            self._headers[text].write_text(text, encoding="utf-8")
        return f'#include "{self._headers[text]}"'

    def build(self) -> None:
        """Compile all kernels, those of equal flags together, as far as they compile together."""
        groups: dict[tuple[str, ...], list[_Kernel]] = {}
        for kernel in self._kernels.values():
            groups.setdefault(kernel.command, []).append(kernel)
        waiting = list(groups.values())
        with self._cache:
            for number in count():
                if not waiting:
                    return
                group = waiting.pop()
                faulty = _build(group, self._folder / f"unit_{number}")
                if faulty and len(group) == 1:
                    group[0].problem = "this kernel does not compile in a unit of ours"
                elif faulty:
                    waiting += [faulty, [kernel for kernel in group if kernel not in faulty]]


@dataclass(frozen=True)
class SharedObject:
    """What Inductor asks the C++ compiler for: the source's text, the command without the files' names, the result."""

    text: str
    template: list[str]
    output: Path


def compile_step() -> str:
    """The name in Inductor's ``codecache`` of what calls the C++ compiler."""
    return "_worker_compile_cpp" if hasattr(torch._inductor.codecache, "_worker_compile_cpp") else "compile_file"  # 2.1


def shared_object(arguments: Sequence[Any]) -> SharedObject | None:
    """What the compile step is asked for by these arguments, if that is one shared object of one source."""
    command = _command(arguments)
    output = command[command.index("-o") + 1] if "-o" in command else ""
    sources = [word for word in command if word.endswith(".cpp")]
    if not output.endswith(".so") or len(sources) != 1:
        return None
    template = [{sources[0]: _SOURCE, output: _OUTPUT}.get(word, word) for word in command]
    return SharedObject(Path(sources[0]).read_text(encoding="utf-8"), template, Path(output))


@contextmanager
def _without_compiling() -> Iterator[None]:
    """Inductor's own compile step raises `_HeldBack` for a shared object; it compiles headers as ever."""
    plain = getattr(torch._inductor.codecache, compile_step())

    def held_back(*arguments: Any) -> Any:
        asked = shared_object(arguments)
        if asked is None:
            return plain(*arguments)
        raise _HeldBack(asked.text, asked.template)

    with patch.object(torch._inductor.codecache, compile_step(), held_back):
        yield


def _command(arguments: Sequence[Any]) -> list[str]:
    """The command of a compile step; empty where there are several."""
    given = arguments[-1] if len(arguments) == 3 else arguments[1]  # 2.1: source, output, command
    if isinstance(given, list):
        return [str(word) for word in given]
    builders = given if isinstance(given, tuple) else (given,)
    return shlex.split(builders[0].get_command_line()) if len(builders) == 1 else []


def _build(kernels: Sequence[_Kernel], path: Path) -> list[_Kernel]:
    """Compile and load kernels of equal flags as one unit. None is left where that works.

    Otherwise it returns those in which the C++ compiler finds an error; half of them where it does not say.
    """
    source, library = path.with_suffix(".cpp"), path.with_suffix(".so")
    parts = _together([kernel.source for kernel in kernels])
    source.write_text("\n".join(parts), encoding="utf-8")
    files = {_SOURCE: str(source), _OUTPUT: str(library)}
    command = [files.get(word, word) for word in kernels[0].command]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = {int(line) for line in re.findall(rf"{re.escape(source.name)}:(\d+):\d+: error", done.stderr)}
        ends = list(accumulate(part.count("\n") + 1 for part in parts))
        faulty = [kernels[number] for number in sorted({bisect_left(ends, line) - 1 for line in lines}) if number >= 0]
        return faulty if 0 < len(faulty) < len(kernels) else list(kernels[: (len(kernels) + 1) // 2])
    for number, kernel in enumerate(kernels):
        kernel.function = _function(library, number, kernel.bound)
    return []


def _together(sources: Sequence[str]) -> list[str]:
    """The parts of one unit of several: what they include, then each in a namespace, its external names numbered."""
    included = dict.fromkeys(line.strip() for source in sources for line in _INCLUDE.findall(source))
    parts = ["\n".join(included)]
    for number, source in enumerate(sources):
        names = ("kernel", "PyInit_kernel")
        defined = "\n".join(f"#define {name} {name}_{number}" for name in names)
        forgotten = "\n".join(f"#undef {name}" for name in names)
        inside = f"namespace unit_{number} {{\n{_INCLUDE.sub('', source)}\n}}"
        parts.append(f"{defined}\n{inside}\n{forgotten}\n")
    return parts


def _function(library: Path, number: int, bound: bool) -> Any:
    """A kernel of a unit, as Python calls it."""
    if not bound:
        return ctypes.CDLL(str(library))[f"kernel_{number}"]
    guards: Any = torch._C._dynamo.guards
    os.environ[_ADDRESS] = str(guards._torchinductor_pyobject_tensor_data_ptr)
    spec = importlib.util.spec_from_file_location(f"{library.stem}.kernel_{number}", library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel
