"""S-expressions: the text of rules as nested lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

Expr = str | list["Expr"]
"""A symbol, number or quoted string as it stands, or a list."""

_TOKEN = re.compile(r';[^\n]*|"[^"]*"|[()]|[^\s();"]+')


def parsed(text: str) -> Expr:
    """The first s-expression of a text, without comments."""
    stack: list[list[Expr]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif not token.startswith(";"):
            stack[-1].append(token)
    return stack[0][0]


def rendered(expr: Expr) -> str:
    """The text of an s-expression, on one line."""
    return expr if isinstance(expr, str) else f"({' '.join(map(rendered, expr))})"


def commands(text: str) -> list[str]:
    """The commands of a program. The first line of each begins with a parenthesis."""
    return re.findall(r"^\(.*?(?=^\(|\Z)", text, re.MULTILINE | re.DOTALL)


def heads(expr: Expr) -> Iterator[str]:
    """The first symbol of every list in an expression."""
    if isinstance(expr, list):
        if expr and isinstance(expr[0], str):
            yield expr[0]
        for part in expr:
            yield from heads(part)
