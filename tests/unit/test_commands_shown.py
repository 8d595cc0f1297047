"""The command line accepts every command that a page shows, and every link leads to a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from polyjuice.cli import app
from scripts.documentation.links import resolved, targets
from tests.support.commands import ROOT
from tests.support.pages import PAGES, Block, blocks, inline, programs

LANGUAGES = {"console", "egglog", "json", "python", "sh", "text", "toml", "yaml"}
OTHERS = {
    "cd",
    "cp",
    "echo",
    "git",
    "grep",
    "head",
    "ls",
    "mkdir",
    "mv",
    "pip",
    "pytest",
    "rsync",
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


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_command_shown_is_taken(page: Path) -> None:
    found = blocks(page.read_text(encoding="utf-8"))
    assert {block.language for block in found} <= LANGUAGES
    assert [f"{line}: {wrong}" for block in found for line in block.lines if (wrong := problem(line))] == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_command_in_a_sentence_exists(page: Path) -> None:
    wrong = []
    for call in inline(page.read_text(encoding="utf-8")):
        name, *arguments = call.split()
        if name == "make":
            wrong += [call for one in arguments[:1] if one not in MAKE]
            continue
        try:
            command, rest = leaf(arguments)
        except KeyError:
            wrong.append(call)
            continue
        options = {option for p in command.params for option in [*p.opts, *p.secondary_opts]} | {"--help"}
        wrong += [call for one in rest if one.startswith("-") and one.rstrip(",.") not in options]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_link_leads_to_a_file(page: Path) -> None:
    place = str(page.relative_to(ROOT))
    links = targets(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / resolved(link, place)).exists()] == []


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


def test_commands_are_read_from_blocks() -> None:
    text = (
        '```sh\n# first\nA=1 polyjuice fuzz \\\n    -n 3 > out  # 3\n```\n```console title="x"\n$ ls; echo 1\na\n```\n'
    )
    assert [list(programs(line)) for block in blocks(text) for line in block.lines] == [
        [],
        [["polyjuice", "fuzz", "-n", "3"]],
        [["ls"], ["echo", "1"]],
    ]
    assert blocks(text)[1] == Block("console", "x", "$ ls; echo 1\na\n")
