"""The documentation site, without MkDocs: links lead to the right pages, and generated pages are complete."""

from __future__ import annotations

import ast
import pkgutil
import re

import pytest

from scripts.documentation import bugs, commands
from scripts.documentation.links import ELSEWHERE, for_site, on_site
from tests.support.commands import ROOT
from tests.support.pages import PAGES, blocks


@pytest.mark.parametrize(
    ("page", "link", "there"),
    [
        ("index.md", "[t](docs/tour.md)", "[t](tour.md)"),
        ("index.md", "![p](docs/images/line.svg)", "![p](images/line.svg)"),
        ("howto/ci.md", "[c](../ci/compiler.yml)", "[c](../ci/compiler.yml)"),
        ("verdicts.md", "[b](../artifacts/bugs/README.md#the-columns)", "[b](bugs/index.md#the-columns)"),
        ("index.md", "[001](artifacts/bugs/001-onnxruntime-matmul-transpose-vector)", "[001](bugs/001.md)"),
        ("concepts/packs.md", "[`t`](../../artifacts/mutants.md)", "[`t`](../measured/mutants.md)"),
        ("suites.md", "[a suite](../artifacts/suite-sample/case-00000)", "a suite"),
        ("faq.md", "[p](https://example.com/a) [a](#b)", "[p](https://example.com/a) [a](#b)"),
        ("faq.md", "```text\n[x](y.md)\n```", "```text\n[x](y.md)\n```"),
    ],
)
def test_links_lead_to_pages_of_the_site(page: str, link: str, there: str) -> None:
    assert for_site(link, page) == there


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    listed = set(re.findall(r"[\w/.-]+\.md", navigation))
    pages = {place for page in PAGES if (place := on_site(str(page.relative_to(ROOT))))} | set(ELSEWHERE.values())
    assert pages <= listed


def test_the_reference_has_every_command_and_option() -> None:
    text = commands.reference()
    assert re.findall(r"^## polyjuice (.*)$", text, re.MULTILINE)[0] == "fuzz"
    assert "## polyjuice known add\n" in text
    assert re.search(
        r"^\| `--extract` `minmax\\\|steps\\\|random\\\|original` \| .+ \| `minmax` \|$", text, re.MULTILINE
    )


def test_each_bug_has_a_line_and_a_page() -> None:
    pages = dict(bugs.pages())
    text = bugs.with_short_tables((ROOT / "artifacts/bugs/README.md").read_text(encoding="utf-8"))
    assert set(re.findall(r"^\| \[(\d{3})\]\(\1\.md\)", text, re.MULTILINE)) == set(pages)
    assert "MatmulTransposeFusion" in pages["001"]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_python_in_pages_can_be_parsed(page: str) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "python":
            ast.parse(block.text)


def test_the_reference_names_what_there_is() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert pkgutil.resolve_name(name), f"{page}: {name}"
