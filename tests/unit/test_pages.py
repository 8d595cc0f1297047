"""The pages that people read: commands, links, generated parts, and the documentation site without MkDocs."""

from __future__ import annotations

import ast
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from polyjuice.cli import app
from scripts.documentation import bugs, commands
from scripts.documentation.links import ELSEWHERE, for_site, on_site, resolved, targets
from tests.support.commands import ROOT
from tests.support.pages import PAGES, blocks, inline, programs

LANGUAGES = {"console", "dockerfile", "egglog", "json", "python", "sh", "text", "toml", "yaml"}
OTHERS = {
    *("cd", "cp", "echo", "git", "grep", "head", "ls", "mkdir", "mv", "pip", "pytest", "ray", "rsync"),
    "ruff",
    "source",
    ".",
}
"""Programs of other projects. The test does not check their arguments."""

MAKE = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
IDS = [str(page.relative_to(ROOT)) for page in PAGES]


def leaf(arguments: list[str]) -> tuple[Any, list[str]]:
    """The command that arguments name, and its own arguments. Raises KeyError for an unknown command."""
    command: Any = typer.main.get_command(app)
    while arguments and not arguments[0].startswith("-") and getattr(command, "commands", None):
        command, arguments = command.commands[arguments[0]], arguments[1:]
    return command, arguments


def problem(line: str) -> str:
    """A mistake in a line of the shell; "" where there is none."""
    for name, *arguments in programs(line):
        if name == "polyjuice":
            try:
                command, rest = leaf(arguments)
                command.make_context(name, [one for one in rest if one != "--help"])
            except KeyError as missing:
                return f"polyjuice has no command {missing}"
            except Exception as error:  # noqa: BLE001 - whatever the parser has to say
                return str(error) or type(error).__name__
        elif name == "make":
            if unknown := [one for one in arguments if "=" not in one and one not in MAKE]:
                return f"make has no target {unknown[0]}"
        elif name == "python":
            script = next((one for one in arguments if one.startswith(("benchmarks/", "scripts/", "artifacts/"))), None)
            if script and not (ROOT / script).is_file():
                return f"there is no {script}"
        elif name not in OTHERS:
            return f"{name} is no program that a page may call"
    return ""


@pytest.mark.parametrize("workflow", sorted((ROOT / "docs/ci").glob("*.yml")), ids=lambda path: path.stem)
def test_every_command_of_a_workflow_is_taken(workflow: Path) -> None:
    yaml = pytest.importorskip("yaml")
    text = re.sub(r"\$\{\{.*?\}\}", "1", workflow.read_text(encoding="utf-8"))
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]
    scripts = [step.get("run", "").replace("\\\n", " ") for step in steps]
    calls = re.compile(r"^ *((?:polyjuice|pytest|pip|python|make)\b.*?)(?: \|\| .*)?$", re.MULTILINE)
    lines = [line for script in scripts for line in calls.findall(script)]
    assert any(line.startswith("polyjuice ") for line in lines)
    assert [f"{line}: {wrong}" for line in lines if (wrong := problem(line))] == []


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 7 * 1024


@pytest.mark.parametrize(
    "line",
    [
        "polyjuice fuz --compiler eager",
        "polyjuice fuzz --compilr eager",
        "polyjuice fuzz -n none",
        "polyjuice known add folder",
        "make fuss",
        "python benchmarks/no_such.py",
        "A=1 polyjuice rules chek | head",
        "rm -r campaigns",
    ],
)
def test_a_mistake_is_noticed(line: str) -> None:
    assert problem(line)


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
    choices = r"targets\|minmax\|steps\|difference\|random\|functions\|original"
    assert re.search(rf"^\| `--extract` `{choices}` \| .+ \| `targets` \|$", text, re.MULTILINE)


def test_each_bug_has_a_line_and_a_page() -> None:
    pages = dict(bugs.pages())
    text = bugs.with_short_tables((ROOT / "artifacts/bugs/README.md").read_text(encoding="utf-8"))
    assert set(re.findall(r"^\| \[(\d{3})\]\(\1\.md\)", text, re.MULTILINE)) == set(pages)
    assert "MatmulTransposeFusion" in pages["001"]


def test_the_reference_names_what_there_is() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert pkgutil.resolve_name(name), f"{page}: {name}"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_what_a_page_shows_can_be_run_and_followed(page: Path) -> None:
    """Commands in blocks and sentences, Python, and links."""
    text = page.read_text(encoding="utf-8")
    found = blocks(text)
    assert {block.language for block in found} <= LANGUAGES
    assert [f"{line}: {wrong}" for block in found for line in block.lines if (wrong := problem(line))] == []
    for block in found:
        if block.language == "python":
            ast.parse(block.text)
    assert [call for call in inline(text) if not exists(call)] == []
    place = str(page.relative_to(ROOT))
    assert [link for link in targets(text) if not (ROOT / resolved(link, place)).exists()] == []


def exists(call: str) -> bool:
    """Whether a sentence names a command that exists, with options that it has."""
    name, *arguments = call.split()
    if name == "make":
        return not arguments or arguments[0] in MAKE
    try:
        command, rest = leaf(arguments)
    except KeyError:
        return False
    options = {option for p in command.params for option in [*p.opts, *p.secondary_opts]} | {"--help"}
    return all(one.rstrip(",.") in options for one in rest if one.startswith("-"))
