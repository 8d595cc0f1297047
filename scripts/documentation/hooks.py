"""Hooks of MkDocs: add pages from outside of ``docs``, change links, and make some pages.

MkDocs loads this file by path, in the root of the repository (see ``mkdocs.yml``).
"""

from __future__ import annotations

from typing import Any

from mkdocs.structure.files import File, Files

from scripts.documentation import bugs, commands
from scripts.documentation.links import ELSEWHERE, ROOT, for_site

COMMANDS = "<!-- commands -->"
"""The line of reference/commands.md in whose place the commands are described."""


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the pages that stand elsewhere in the repository, and a page for each bug."""
    for path, place in ELSEWHERE.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    for number, page in bugs.pages():
        files.append(File.generated(config, f"bugs/{number}.md", content=page))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Change links for the site, and put in what is made."""
    place = page.file.src_uri
    if place == "bugs/index.md":
        markdown = bugs.with_short_tables(markdown)
    elif place.startswith("bugs/"):
        return markdown
    markdown = for_site(markdown, place)
    return markdown.replace(COMMANDS, commands.reference()) if COMMANDS in markdown else markdown
