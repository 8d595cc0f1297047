"""A short stack trace: the innermost frames of the compiler, and no frames of Polyjuice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

#: How many frames of each trace are kept.
_KEPT = 6

#: The most lines of a message that is shown whole, and how many to keep at each end of a longer one.
_WHOLE, _ENDS = 30, 12

#: The most characters of a line that is shown whole: calls of a C++ compiler take thousands.
_LINE = 300

_FRAME = re.compile(r'\s*File "([^"]*)", line \d+')
_OWN = re.compile(r"(?:^|/)polyjuice/")
_MARKS = re.compile(r"\s*[~^]+\s*")
_INNERMOST_FIRST = "(most recent call first)"


_PACKAGES = re.compile(r"/[^\s\"':]*/site-packages/")


def cut_output(text: str) -> str:
    """A program's output, without the middle of a long text and without the folders of installed packages."""
    return "\n".join(map(_line, _message(_PACKAGES.sub("", text).splitlines())))


def cut_stack(text: str) -> str:
    """A trace by Python or faulthandler, without most of its frames."""
    lines: list[str] = []
    innermost_first = False
    for frames, others in _runs(_PACKAGES.sub("", text).strip().splitlines()):
        lines += _frames(frames, innermost_first)
        lines += _message(others)
        innermost_first = any(_INNERMOST_FIRST in line for line in others)
    return "\n".join(map(_line, lines))


def _line(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[:_LINE]} ..."


def _runs(lines: Sequence[str]) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Runs of frames, each a list of its lines, with the lines after each run; without markers below source."""
    frames: list[list[str]] = []
    others: list[str] = []
    for line in lines:
        if _FRAME.match(line):
            if others:
                yield frames, others
                frames, others = [], []
            frames.append([line])
        elif frames and not others and line.startswith("    "):
            if not _MARKS.fullmatch(line):
                frames[-1].append(line)
        else:
            others.append(line)
    yield frames, others


def _frames(frames: Sequence[Sequence[str]], innermost_first: bool) -> list[str]:
    foreign = [frame for frame in frames if not _OWN.search(_path(frame))]
    kept = foreign[:_KEPT] if innermost_first else foreign[-_KEPT:]
    left = len(frames) - len(kept)
    left_out = [f"  ... {left} frame{'s' if left > 1 else ''}"] if left else []
    shown = [line for frame in kept for line in frame]
    return [*shown, *left_out] if innermost_first else [*left_out, *shown]


def _path(frame: Sequence[str]) -> str:
    match = _FRAME.match(frame[0])
    return match[1] if match else ""


def _message(lines: Sequence[str]) -> Sequence[str]:
    if len(lines) <= _WHOLE:
        return lines
    return [*lines[:_ENDS], f"... {len(lines) - 2 * _ENDS} lines", *lines[-_ENDS:]]
