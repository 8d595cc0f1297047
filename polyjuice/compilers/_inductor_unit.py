"""Compile Inductor's kernels of several programs in one translation unit.

For each kernel, g++ spends most of its time on the same headers, templates and linking. This module lets Inductor
generate the code of several programs while its compile step is held back. It then compiles all kernels together, with
the flags that Inductor chose for each.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import accumulate, count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn
from unittest.mock import patch

import torch

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*(?:include\b|define[ \t]+PY_SSIZE_T_CLEAN\b).*$", re.MULTILINE)
"""Lines that must stay outside of a namespace."""

_HEADER = re.compile(r'^#include "(/.*)"$', re.MULTILINE)
"""The inclusion of a header by its absolute path."""

_SOURCE, _OUTPUT = "{source}", "{output}"
"""Placeholders for the file names in a command."""

_ADDRESS = "_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR"
"""The environment variable in which Inductor tells a kernel's bindings how to reach a tensor's data."""


class Unbuilt(BaseException):
    """A call of a kernel that is not built yet. This is not an Exception, so that no handler in between catches it."""


class _HeldBack(BaseException):
    def __init__(self, source: str, command: Sequence[str], output: str = "") -> None:
        self.source = source
        self.command = tuple(command)
        self.output = output


class _Kernel:
    """A placeholder for a kernel of Inductor's. Its call raises RuntimeError if the kernel did not compile."""

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

    All of this happens under one `cache` of Inductor's, whose folder this release names in the environment.
    """

    def __init__(self, cache: AbstractContextManager[None]) -> None:
        self._cache = ExitStack()
        self._cache.enter_context(cache)
        self._folder = Path(os.environ["TORCHINDUCTOR_CACHE_DIR"])
        self._headers: dict[str, Path] = {}
        self._kernels: dict[tuple[str, tuple[str, ...]], _Kernel] = {}

    @contextmanager
    def holding_back(self) -> Iterator[None]:
        """Give Inductor a `_Kernel` for each kernel that it asks for, as far as this release asks in a known way."""
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
        source = _HEADER.sub(self._lasting, what.source)
        key = source, what.command
        if key not in self._kernels:
            self._kernels[key] = _Kernel(source, what.command, bound)
        return self._kernels[key]

    def _lasting(self, line: re.Match[str]) -> str:
        """The line that includes a header, with a lasting path: some releases rewrite headers for each program."""
        path = Path(line[1])
        if Path(f"{path}.gch").exists():  # it is precompiled
            return line[0]
        text = path.read_text(encoding="utf-8")
        if text not in self._headers:
            self._headers[text] = self._folder / f"header_{len(self._headers)}.h"
            self._headers[text].write_text(text, encoding="utf-8")
        return f'#include "{self._headers[text]}"'

    def build(self) -> None:
        """Compile all kernels, those with equal flags together, as far as they compile together."""
        groups: dict[tuple[str, ...], list[_Kernel]] = {}
        for kernel in self._kernels.values():
            groups.setdefault(kernel.command, []).append(kernel)
        waiting = list(groups.values())
        with self._cache:
            for number in count():
                if not waiting:
                    return
                waiting += _build(waiting.pop(), self._folder / f"unit_{number}")


def _held_back(arguments: Sequence[Any]) -> _HeldBack | None:
    """The request in these arguments of the compile step, if it is for one shared object from one source; else None."""
    command = _command(arguments)
    output = command[command.index("-o") + 1] if "-o" in command else ""
    sources = [word for word in command if word.endswith(".cpp")]
    if not output.endswith(".so") or len(sources) != 1:
        return None
    template = [{sources[0]: _SOURCE, output: _OUTPUT}.get(word, word) for word in command]
    return _HeldBack(Path(sources[0]).read_text(encoding="utf-8"), template, output)


@contextmanager
def _handing(handle: Callable[[_HeldBack, Callable[[], Any]], Any]) -> Iterator[None]:
    """Make Inductor's compile step call ``handle`` for a shared object, with the request and the step itself.

    Headers compile as usual.
    """
    step = _compile_step()
    plain = getattr(torch._inductor.codecache, step)

    def compile_step(*arguments: Any) -> Any:
        held_back = _held_back(arguments)
        return handle(held_back, lambda: plain(*arguments)) if held_back else plain(*arguments)

    with patch.object(torch._inductor.codecache, step, compile_step):
        yield


def _without_compiling() -> AbstractContextManager[None]:
    """Make Inductor's compile step raise `_HeldBack` for a shared object."""

    def handle(held_back: _HeldBack, compile: Callable[[], Any]) -> NoReturn:
        raise held_back

    return _handing(handle)


def keeping_compiled(folder: Path) -> AbstractContextManager[None]:
    """Make Inductor's compile step keep each shared object in a folder, and take it from there if it is there."""

    def handle(held_back: _HeldBack, compile: Callable[[], Any]) -> Any:
        kept = folder / hashlib.sha256(repr((held_back.source, held_back.command)).encode()).hexdigest()
        with suppress(OSError):
            shutil.copyfile(kept, held_back.output)
            return None
        result = compile()
        with suppress(OSError):
            draft = kept.with_suffix(f".{os.getpid()}")
            shutil.copyfile(held_back.output, draft)
            draft.rename(kept)
        return result

    return _handing(handle)


def _compile_step() -> str:
    """The name of the function with which this release compiles C++."""
    return "_worker_compile_cpp" if hasattr(torch._inductor.codecache, "_worker_compile_cpp") else "compile_file"  # 2.1


def _command(arguments: Sequence[Any]) -> list[str]:
    text = arguments[-1] if len(arguments) == 3 else arguments[1]  # 2.1: source, output, command
    if isinstance(text, list):
        return [str(word) for word in text]
    builders = text if isinstance(text, tuple) else (text,)
    return shlex.split(builders[0].get_command_line()) if len(builders) == 1 else []


def _build(kernels: Sequence[_Kernel], path: Path) -> list[list[_Kernel]]:
    """Compile kernels, and return the groups to compile next: none on success, or the others if some have an error.

    If the C++ compiler does not say where its error is, both halves are next.
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
        faulty = {bisect_left(ends, line) - 1 for line in lines} - {-1}
        if not faulty and len(kernels) > 1:
            half = len(kernels) // 2
            return [[*kernels[:half]], [*kernels[half:]]]
        for number in faulty or {0}:
            kernels[number].problem = "this kernel does not compile in a unit of ours"
        left = [kernel for kernel in kernels if not kernel.problem]
        return [left] if left else []
    for number, kernel in enumerate(kernels):
        kernel.function = _function(library, number, kernel.bound)
    return []


def _together(sources: Sequence[str]) -> list[str]:
    """The parts of one unit: the includes, then each source in a namespace, with its external names numbered."""
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
