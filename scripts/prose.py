"""Check the style of all prose: documentation, docstrings, comments, and texts that the program prints.

``prose.toml`` has the rules. The texts are help, messages of errors, reports and pages: string literals with several
words in a row, and templates.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
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
_JINJA = re.compile(r"{[%#].*?[%#]}", re.DOTALL)
_JINJA_VALUE = re.compile(r"{{.*?}}", re.DOTALL)
_NO_TEXT = re.compile(r"<(script|style)\b.*?</\1>|<!DOCTYPE[^>]*>|<\?xml[^>]*>", re.DOTALL)
_INLINE_TAG = re.compile(r"</?(?:a|b|code|em|i|kbd|small|span|strong|tspan)\b[^>]*>")
_LABEL = re.compile(r"\b(?:alt|aria-label|placeholder|title)=\"([^\"]+)\"")
_COMMENT = re.compile(r"(?:^|\s)#(?=\s)(.*)$")
_WORDS = re.compile(r"(?:^|[^\w.])(?:(?:[A-Za-z][a-z']*|`x`) ){3}[a-z`]")
"""Four words or values in a row: a string literal that has them is prose."""

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
    stored_names: Sequence[str]
    printed: Sequence[str]
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
    for path in files(names or style.paths, style.stored, style.stored_names):
        for line, text in prose(path, strings=any(path.is_relative_to(ROOT / name) for name in style.printed)):
            for sentence in sentences(text):
                for fault in style.faults(sentence):
                    print(f"{path.relative_to(ROOT)}:{line}: {fault}: {sentence[:160]}")
                    count += 1
    return 1 if count else 0


def files(names: Sequence[str], stored: Sequence[str] = (), stored_names: Sequence[str] = ()) -> Iterator[Path]:
    """Yield the files with prose at some paths of the project, except for those in the ``stored`` folders."""
    for name in names:
        path = (ROOT / name).absolute()
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        mine = (one for one in inside if not any(one.is_relative_to(ROOT / folder) for folder in stored))
        outside = {"__pycache__", *stored_names}
        yield from (one for one in mine if _kind(one) in _READERS and outside.isdisjoint(one.relative_to(ROOT).parts))


def prose(path: Path, strings: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the pieces of prose in a file, each with the number of its first line.

    With ``strings``, the string literals of Python code are prose, too.
    """
    text = path.read_text(encoding="utf-8")
    yield from _READERS[_kind(path)](text)
    if strings and path.suffix == ".py":
        yield from _strings(text)


def _kind(path: Path) -> str:
    """Return what decides the reader of a file: its suffix, or its name."""
    return path.suffix or path.name


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

    yield from _paragraphs(_without_jinja(_FENCE.sub(blank, _FRONT_MATTER.sub(blank, text))))


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of a text between empty lines."""
    line = 1
    for block in re.split(r"(\n[ \t]*\n)", text):
        if block.strip():
            yield line, block
        line += block.count("\n")


def _without_jinja(text: str) -> str:
    """Return a template without its statements, and with code instead of its expressions."""
    return _JINJA_VALUE.sub("`x`", _JINJA.sub(lambda match: "\n" * match.group().count("\n"), text))


def _markup(text: str) -> Iterator[tuple[int, str]]:
    """Yield the text of HTML or SVG, or of a template of it, and the labels that only some readers meet."""
    plain = _without_jinja(_NO_TEXT.sub(lambda match: "\n" * match.group().count("\n"), text))
    for match in _LABEL.finditer(plain):
        yield plain[: match.start()].count("\n") + 1, match[1]
    yield from _elements(_INLINE_TAG.sub("", plain))


def _elements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts between tags."""
    line = 1
    for part in re.split(r"(<[^>]*>)", text):
        if part.strip() and not part.startswith("<"):
            yield line, part
        line += part.count("\n")


def _python(text: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings, also those of constants, and the comments of Python code."""
    for node in _docstrings(ast.parse(text)):
        yield node.lineno, _unindented(str(node.value))
    yield from _comments(
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    )


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        before = [(None, body[0])] if documented and body else []
        for above, here in [*before, *pairwise(body)]:
            documents = isinstance(above, ast.Assign | ast.AnnAssign | None) and isinstance(here, ast.Expr)
            if documents and isinstance(here.value, ast.Constant) and isinstance(here.value.value, str):
                yield here.value


def _strings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the string literals of Python code that are prose, without docstrings.

    A literal that is Python or egglog code itself has prose in its own docstrings, literals and comments.
    """
    tree = ast.parse(text)
    skipped = {id(node) for node in _docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in ast.walk(node) if part is not node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in skipped:
            for line, piece in _literal(_text_of(node)):
                yield node.lineno + line - 1, piece


def _text_of(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the text of a literal, with code instead of the values of an f-string."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "`x`" for part in node.values)


def _literal(text: str) -> Iterator[tuple[int, str]]:
    """Yield the pieces of prose in the text of a literal."""
    if not _WORDS.search(text):
        return
    if "\n" in text.strip():
        if re.search(r"^\s*\((?:rule|rewrite|relation)\b", text, re.MULTILINE):
            yield from _rules(text)
            return
        code = re.sub(r"\$\{?(\w+)\}?", r"\1", text)
        if _is_python(code):
            yield from _python(code)
            yield from _strings(code)
            return
    yield from _paragraphs(text)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _settings(text: str) -> Iterator[tuple[int, str]]:
    """Yield the comments and the strings of TOML."""
    yield from _hashed(text)
    waiting: list[object] = [tomllib.loads(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and _WORDS.search(value):
            start = text.find(value.strip().splitlines()[0])
            yield text[: max(start, 0)].count("\n") + 1, value


def _hashed(text: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of YAML, TOML or a makefile."""
    lines = ((number, _COMMENT.search(line)) for number, line in enumerate(text.splitlines(), 1))
    yield from _comments((number, match[1]) for number, match in lines if match)


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


_READERS: Mapping[str, Callable[[str], Iterator[tuple[int, str]]]] = {
    ".md": _markdown,
    ".py": _python,
    ".egg": _rules,
    ".html": _markup,
    ".svg": _markup,
    ".toml": _settings,
    ".yml": _hashed,
    ".yaml": _hashed,
    ".cff": _hashed,
    "Makefile": _hashed,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
