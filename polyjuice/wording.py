"""Words that depend on a number, and text from a model: its control characters must not steer a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

_STEERING = frozenset(("Cc", "Cf", "Cn", "Cs", "Zl", "Zp"))
"""Unicode's categories of characters that a terminal obeys or hides, or that cannot be written."""


def visible(text: str, kept: str = "\n\t") -> str:
    """The text with an escape (``\\x1b``) for each control character but those in ``kept``."""
    if text.isprintable():
        return text
    return "".join(
        ascii(character)[1:-1] if character not in kept and unicodedata.category(character) in _STEERING else character
        for character in text
    )


def quoted_in_markdown(text: str) -> str:
    """The text on one line, without control characters and without the mark that would end Markdown's code."""
    return visible(text, kept="").replace("`", "'")


def plural(number: int, noun: str) -> str:
    """Return the noun as it follows a number: "finding" after 1, else "findings"."""
    return noun if number == 1 else f"{noun}{'es' if noun.endswith('s') else 's'}"


def counted(number: int, noun: str) -> str:
    """Return the number with its noun, such as "1 finding" or "1,204 findings"."""
    return f"{number:,} {plural(number, noun)}"


def duration(seconds: float) -> str:
    """Return seconds as a readable text, such as "42 s", "3 min 5 s" or "2 h 10 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    large, small = ((minutes, "min"), (rest, "s")) if minutes < 90 else ((minutes // 60, "h"), (minutes % 60, "min"))
    return " ".join(f"{number} {unit}" for number, unit in (large, small) if number)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The end of a message about a wrong name: which of some names looks like it, but for case; "" if none does."""
    folded = {one.casefold(): one for one in names}
    close = get_close_matches(name.casefold(), folded, 1, cutoff=0.7)
    return f"; did you mean {folded[close[0]]}?" if close else ""
