"""Words that depend on a number."""

from __future__ import annotations


def plural(number: int, noun: str) -> str:
    """Return the noun as it follows a number: "finding" after 1, else "findings"."""
    return noun if number == 1 else f"{noun}{'es' if noun.endswith('s') else 's'}"


def counted(number: int, noun: str) -> str:
    """Return the number with its noun, such as "1 finding" or "1,204 findings"."""
    return f"{number:,} {plural(number, noun)}"
