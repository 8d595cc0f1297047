"""A compiled C++ object serves again for the same source and command, and only for these."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

Step = Any
"""Inductor's compile step: a source, an output, and a command."""


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Step:
    """A step that shares its objects. It compiles by copying, and ``step.made`` holds the compiled sources."""
    unit = pytest.importorskip("polyjuice.compilers._inductor_unit")
    objects = pytest.importorskip("polyjuice.compilers._inductor_objects")
    codecache: Any = pytest.importorskip("torch._inductor.codecache")
    made: list[str] = []

    def plain(source: str, output: str, command: list[str]) -> None:
        made.append(Path(source).read_text())
        if "fail" not in made[-1]:
            shutil.copy(source, output)

    monkeypatch.setattr(codecache, unit.compile_step(), plain)
    (tmp_path / "kept").mkdir()
    objects.share(tmp_path / "kept")
    shared = getattr(codecache, unit.compile_step())

    def run(text: str, *flags: str, suffix: str = ".so") -> Path:
        folder = tmp_path / f"process {len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        source, output = folder / "kernel.cpp", folder / f"kernel{suffix}"
        source.write_text(text)
        shared(str(source), str(output), ["g++", *flags, str(source), "-o", str(output)])
        return output

    run.made = made  # type: ignore[attr-defined]
    return run


def test_the_same_source_is_compiled_once(step: Step) -> None:
    assert [step("one").read_text(), step("two").read_text(), step("one").read_text()] == ["one", "two", "one"]
    assert step.made == ["one", "two"]


def test_other_flags_make_another_object(step: Step) -> None:
    step("one", "-O1")
    step("one", "-O3")
    step("one", "-O1")
    assert step.made == ["one", "one"]


def test_what_fails_is_tried_again(step: Step) -> None:
    assert [step("fail").exists(), step("fail").exists()] == [False, False]
    assert step.made == ["fail", "fail"]


def test_precompiled_headers_are_not_shared(step: Step) -> None:
    step("header", suffix=".h.gch")
    step("header", suffix=".h.gch")
    assert step.made == ["header", "header"]


def test_a_header_at_a_place_of_its_own_counts_by_its_text(step: Step, tmp_path: Path) -> None:
    for name, text in (("a.h", "int x;"), ("b.h", "int x;"), ("c.h", "int y;")):
        (tmp_path / name).write_text(text)
        step(f'#include "{tmp_path / name}"\n')
    assert len(step.made) == 2
