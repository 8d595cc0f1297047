"""Check the style of all prose: documentation, docstrings and comments. ``prose.toml`` has the rules.

    python scripts/prose.py                 the paths in prose.toml
    python scripts/prose.py docs README.md  other paths

Each printed line has a file, a line, a fault and the sentence. The exit status is 1 if there is any.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
STYLE = Path(__file__).with_suffix(".toml")

_CODE = re.compile(r"``[^`]+``|:\w+:`[^`]+`|`[^`]+`|\$[^$\n]+\$|<!--.*?-->|https?://\S+", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2[ \t]*$", re.DOTALL | re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HTML = re.compile(r"</?\w[^>]*>")
_BLOCKS = re.compile(r"\n[ \t>]*\n|\n(?=[ \t]*(?:[-*+]|\d+\.|#+|\|) )|\n(?=    )")
_SENTENCES = re.compile(r"(?<=[.!?:;])[\"')*_]*\s+")
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+|not\s+)?"
    r"(?:\w{2,}ed|been|begun|broken|built|chosen|done|drawn|found|given|held|kept|known|left|lost|made|meant|put|read"
    r"|run|said|seen|sent|set|shown|taken|thrown|told|written)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Style:
    """The rules of ``prose.toml``."""

    paths: Sequence[str]
    stored: Sequence[str]
    words: int
    passives: int
    openings: Sequence[str]
    phrases: Mapping[str, str]

    def faults(self, sentence: str) -> Iterator[str]:
        """Yield the faults of a sentence, each in a few words."""
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > self.words:
            yield f"{len(words)} words"
        if len(_PASSIVE.findall(sentence)) > self.passives:
            yield f"{len(_PASSIVE.findall(sentence))} passives"
        if not sentence.rstrip().endswith("?"):
            yield from (f'begins with "{one}"' for one in self.openings if sentence.startswith(f"{one} "))
        for phrase, better in self.phrases.items():
            if re.search(rf"\b{re.escape(phrase)}\b", sentence, re.IGNORECASE):
                yield f'"{phrase}": {better}'


def main(names: Sequence[str]) -> int:
    """Print the faults in some paths (none: those of ``prose.toml``), and return the exit status."""
    style = Style(**tomllib.loads(STYLE.read_text(encoding="utf-8")))
    count = 0
    for path in files(names or style.paths, style.stored):
        for line, text in prose(path):
            for sentence in sentences(text):
                for fault in style.faults(sentence):
                    print(f"{path.relative_to(ROOT)}:{line}: {fault}: {sentence[:160]}")
                    count += 1
    return 1 if count else 0


def files(names: Sequence[str], stored: Sequence[str] = ()) -> Iterator[Path]:
    """Yield the files with prose at some paths of the project, except for those in the ``stored`` folders."""
    for name in names:
        path = (ROOT / name).absolute()
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        mine = (one for one in inside if not any(one.is_relative_to(ROOT / folder) for folder in stored))
        yield from (one for one in mine if one.suffix in _READERS and "__pycache__" not in one.parts)


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the pieces of prose in a file, each with the number of its first line."""
    return _READERS[path.suffix](path.read_text(encoding="utf-8"))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a piece of prose, without code."""
    plain = _HTML.sub(" ", _LINK.sub(r"\1", _CODE.sub("code", text)))
    for block in _BLOCKS.split(plain):
        cells = block.split("|") if block.lstrip().startswith("|") else [block]
        for cell in cells:
            words = " ".join(re.sub(r"^[ \t>]*(?:[-*+]|\d+\.|#+)? ", "", cell).split())
            yield from (one.lstrip("*_\"'(") for one in _SENTENCES.split(words) if one)


def _markdown(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of Markdown, without blocks of code."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match.group().count("\n")

    line = 1
    for block in re.split(r"(\n[ \t]*\n)", _FENCE.sub(blank, _FRONT_MATTER.sub(blank, text))):
        if block.strip():
            yield line, block
        line += block.count("\n")


def _python(text: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings, also those of constants, and the comments of Python code."""
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        before = [(None, body[0])] if documented and body else []
        for above, here in [*before, *pairwise(body)]:
            documents = isinstance(above, ast.Assign | ast.AnnAssign | None) and isinstance(here, ast.Expr)
            if documents and isinstance(here.value, ast.Constant) and isinstance(here.value.value, str):
                yield here.lineno, _unindented(here.value.value)
    yield from _comments(
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    )


def _rules(text: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of an egglog file."""
    lines = ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.startswith(";"))
    yield from _comments((number, line.lstrip(";")) for number, line in lines)


def _comments(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield comments, with those on consecutive lines joined."""
    block: list[str] = []
    first = last = 0
    for number, line in lines:
        text = line.lstrip("#:").strip()
        if text.startswith(("!", "type:", "noqa", "fmt:")):
            continue
        if block and number != last + 1:
            yield first, "\n".join(block)
            block = []
        first = first if block else number
        last = number
        block.append(text)
    if block:
        yield first, "\n".join(block)


def _unindented(text: str) -> str:
    """Return a docstring without its indentation, and without its indented blocks, which are code."""
    return "\n".join(line for line in inspect.cleandoc(text).splitlines() if not line.startswith("    "))


_READERS = {".md": _markdown, ".py": _python, ".egg": _rules}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
