"""The files of the repository that are pages of the site, and the links between them.

A page is written for two readers: one who sees the file in the repository, and one who sees it on the site. Its links
are those of the repository. On the site they lead to the page that the file became. A link to a file that is no page
becomes plain text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

DOCS = "docs/"
"""The folder whose files keep their place on the site."""

ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "rules/README.md": "reference/rules.md",
    "rules/targets/README.md": "reference/targets.md",
    "artifacts/bugs/README.md": "bugs/index.md",
    "artifacts/hunt/README.md": "measured/hunt.md",
    **{f"artifacts/{path.name}": f"measured/{path.name}" for path in sorted((ROOT / "artifacts").glob("*.md"))},
    "artifacts/README.md": "measured/index.md",
}
"""The pages that stand outside of ``docs`` in the repository, and their place on the site."""

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_BUG = re.compile(r"artifacts/bugs/(\d{3})-[^/]*")
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def in_repository(page: str) -> str:
    """The file of the repository that a page of the site is made of."""
    made_of = {place: path for path, place in ELSEWHERE.items()}
    return made_of.get(page, DOCS + page)


def on_site(path: str) -> str | None:
    """The place on the site of a file or folder of the repository; None where it has none."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if bug := _BUG.fullmatch(path):
        return f"bugs/{bug[1]}.md"
    if path.startswith(DOCS) and (ROOT / path).is_file():
        return path.removeprefix(DOCS)
    index = f"{path.rstrip('/')}/README.md"
    return on_site(index) if (ROOT / index).is_file() else None


def is_relative(target: str) -> bool:
    """Whether a link leads to another file of the repository."""
    return not target.startswith(("#", "mailto:")) and "://" not in target


def targets(markdown: str) -> list[str]:
    """The relative links of a page, without those in fenced code."""
    text = "".join(_FENCED.split(markdown)[::2])
    return [target for _, _, target in _LINK.findall(text) if is_relative(target)]


def resolved(target: str, source: str) -> str:
    """The path in the repository that a relative link of a file leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), target.partition("#")[0]))


def for_site(markdown: str, page: str) -> str:
    """A page's text with its links changed for the site."""
    source = in_repository(page)

    def link(match: re.Match[str]) -> str:
        image, text, target = match.groups()
        if not is_relative(target):
            return match[0]
        place = on_site(resolved(target, source))
        if place is None:
            return text
        anchor = "".join(target.partition("#")[1:])
        return f"{image}[{text}]({posixpath.relpath(place, posixpath.dirname(page) or '.')}{anchor})"

    return "".join(part if part.startswith("```") else _LINK.sub(link, part) for part in _FENCED.split(markdown))
