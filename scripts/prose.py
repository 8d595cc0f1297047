"""Check the prose of the project: the length of sentences, and phrases to avoid.

    python scripts/prose.py                 the paths in prose.toml, which has the rules
    python scripts/prose.py docs README.md  other paths

Prose is Markdown, docstrings, comments, the text of templates, and what the program prints: string literals with
several words in a row. Each printed line has a file, a line, a fault and the sentence. The exit status is 1 if there is
any.
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
from pathlib import Path

ROOT = Path(__file__).parents[1]

_CODE = re.compile(r"``[^`]+``|:\w+:`[^`]+`|`[^`]+`|\$[^$\n]+\$|<!--.*?-->|https?://\S+|\$\{?\w+\}?", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_NO_PROSE = {
    ".md": re.compile(r"\A---\n.*?\n---\n|^( *)(```|~~~).*?^\1\2[ \t]*$|</?\w[^>]*>", re.DOTALL | re.MULTILINE),
    ".html": re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>|{[%#].*?[%#]}", re.DOTALL),
}
_BLOCKS = re.compile(r"\n[ \t>]*\n|\n(?=[ \t]*(?:[-*+]|\d+\.|#+|\|) )|\n(?=    )")
_WORDS = re.compile(r"(?:^|[^\w.])(?:(?:[A-Za-z][a-z']*|`x`) ){3}[a-z`]")
"""Four words or values in a row: a string literal that has them is prose."""

_SENTENCES = re.compile(r"(?<=[.!?:;])[\"')*_]*\s+")
_IS_CODE = re.compile(r"^\s*(?:\((?:rule|rewrite|relation)\b|import |from \w+ import|def |class |@)", re.MULTILINE)
_COMMENTED = (".egg", ".toml", ".yml", ".yaml", ".cff", "Makefile")


@dataclass(frozen=True)
class Style:
    """The rules of ``prose.toml``."""

    paths: Sequence[str]
    stored: Sequence[str]
    printed: Sequence[str]
    words: int
    phrases: Mapping[str, str]

    def faults(self, sentence: str) -> Iterator[str]:
        """Yield the faults of a sentence, each in a few words."""
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > self.words:
            yield f"{len(words)} words"
        for phrase, better in self.phrases.items():
            if re.search(rf"\b{re.escape(phrase)}\b", sentence, re.IGNORECASE):
                yield f'"{phrase}": {better}'


def main(names: Sequence[str]) -> int:
    """Print the faults in some paths (none: those of ``prose.toml``), and return the exit status."""
    style = Style(**tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")))
    count = 0
    for path in files(names or style.paths, style.stored):
        printed = any(path.is_relative_to(ROOT / name) for name in style.printed)
        for line, text in prose(path, printed):
            for sentence in sentences(text):
                for fault in style.faults(sentence):
                    print(f"{path.relative_to(ROOT)}:{line}: {fault}: {sentence[:160]}")
                    count += 1
    return 1 if count else 0


def files(names: Sequence[str], stored: Sequence[str]) -> Iterator[Path]:
    """Yield the files with prose at some paths of the project, except those in folders that are named ``stored``."""
    for name in names:
        path = (ROOT / name).absolute()
        for one in sorted(path.rglob("*")) if path.is_dir() else [path]:
            outside = {"__pycache__", *stored}.isdisjoint(one.parts)
            if outside and (one.suffix in (".py", ".svg", *_NO_PROSE, *_COMMENTED) or one.name in _COMMENTED):
                yield one


def prose(path: Path, printed: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the pieces of prose in a file, each with its first line. With ``printed``, string literals are prose."""
    text = path.read_text(encoding="utf-8")
    kind = ".html" if path.suffix == ".svg" else path.suffix
    if kind == ".py":
        yield from _python(text, printed)
    elif kind in _NO_PROSE:
        plain = re.sub(r"{{.*?}}", "`x`", _NO_PROSE[kind].sub(lambda match: "\n" * match[0].count("\n") or "|", text))
        yield from _paragraphs(plain)
    else:
        mark = ";" if kind == ".egg" else "#"
        lines = ((number, line.partition(mark)) for number, line in enumerate(text.splitlines(), 1))
        yield from _comments(
            (number, after) for number, (before, found, after) in lines if found and not before.strip()
        )


def _python(text: str, printed: bool) -> Iterator[tuple[int, str]]:
    """Yield the strings that stand alone (docstrings) and the comments. With ``printed``, yield the other strings."""
    tree = ast.parse(text)
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            inside.add(id(node.value))
            lines = inspect.cleandoc(node.value.value).splitlines()
            yield node.lineno, "\n".join(line for line in lines if not line.startswith("    "))  # which is code
        if isinstance(node, ast.JoinedStr):
            inside.update(id(part) for part in ast.walk(node) if part is not node)
    for node in ast.walk(tree) if printed else ():
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in inside:
            literal = _text_of(node)
            if _WORDS.search(literal) and not _IS_CODE.search(literal):
                yield from ((node.lineno + line - 1, piece) for line, piece in _paragraphs(literal))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    yield from _comments((t.start[0], t.string.lstrip("#:")) for t in tokens if t.type == tokenize.COMMENT)


def _text_of(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the text of a literal, with code instead of the values of an f-string."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "`x`" for part in node.values)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of a text between empty lines."""
    line = 1
    for block in re.split(r"(\n[ \t]*\n)", text):
        if block.strip():
            yield line, block
        line += block.count("\n")


def _comments(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield comments, with those on consecutive lines joined."""
    block: list[str] = []
    last = 0
    for number, text in lines:
        if text.strip().startswith(("!", "type:", "noqa", "fmt:")):
            continue
        if block and number != last + 1:
            yield last - len(block) + 1, "\n".join(block)
            block = []
        block.append(text.strip(" ;#"))
        last = number
    if block:
        yield last - len(block) + 1, "\n".join(block)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a piece of prose, without code."""
    for block in _BLOCKS.split(_LINK.sub(r"\1", _CODE.sub("code", text))):
        for cell in block.split("|"):
            words = " ".join(re.sub(r"^[ \t>]*(?:[-*+]|\d+\.|#+)? ", "", cell).split())
            yield from (one.lstrip("*_\"'(") for one in _SENTENCES.split(words) if one)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
