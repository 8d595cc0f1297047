"""Prepare a process so that commands in forked copies of it start at once."""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.broken import bases
from benchmarks.broken.answers import Surroundings
from benchmarks.broken.commands import COMMANDS, Command
from benchmarks.broken.mutate import FINDING
from polyjuice import cache, cli, plugins
from polyjuice.campaign import loop, processes
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import Rule, load, rulefiles
from polyjuice.execution import forkserver, host
from polyjuice.execution.forkserver import ForkServer
from polyjuice.session import CompilerSession, Conditions
from polyjuice.user_models.sandbox import Sandbox

_RULES = 15
"""How many of the rules commands get, evenly spread: reading a model does not depend on them."""

T = TypeVar("T")

_LARGE = ("torch", "tensorflow", "jax", "egglog")
"""Packages that a process that forks must not hold: they are large, or start threads."""

COMPILERS = ("numpy", "onnxruntime")


def prepare(around: Surroundings, kept: Path) -> None:
    """Change this process: its environment, its rules, and how it starts others.

    - Its home and temporary directory are in ``around``, and its cache is ``kept``.
    - Commands get few rules. Another process reads them, because a process that has used egglog cannot be forked.
    - The process of a campaign is forked, where a campaign would start a fork server. That costs a second.
    - All processes share the fork servers of :func:`start_servers`, and end none of them. A campaign's process would
      start its own, since its temporary directory is another.
    - Installed parts and the digest of the compilers' files are looked up once.
    """
    kept.mkdir(parents=True, exist_ok=True)
    os.environ.update(
        HOME=str(around.home),
        TMPDIR=str(around.temporary),
        XDG_CACHE_HOME=str(kept),
        OPENBLAS_NUM_THREADS="1",
        MPLCONFIGDIR=str(kept / "matplotlib"),
        NO_COLOR="1",
    )
    rules = _forked(_few_rules)
    setattr(rulefiles, "_shipped", lambda: rules)  # noqa: B010
    setattr(loop, "_context", lambda: multiprocessing.get_context("fork"))  # noqa: B010
    parsed = _parser()
    setattr(cli, "command", lambda: parsed)  # noqa: B010
    start_servers()
    setattr(processes, "end_servers", lambda: None)  # noqa: B010
    setattr(host, "server_of", _shared)  # noqa: B010
    setattr(plugins, "entries", functools.cache(plugins.entries))  # noqa: B010
    digest = functools.cache(cache.digest)
    setattr(cache, "digest", lambda files: digest(tuple(files)))  # noqa: B010
    _import(around)


def _parser() -> Any:
    """The command line, with the types of all options, which Typer makes when it first needs them."""
    whole = cli.command()
    commands = [whole]
    while commands:
        command = commands.pop()
        commands.extend(getattr(command, "commands", {}).values())
        for parameter in command.params:
            parameter.get_runtime_param()
    return whole


def _shared(compiler: CompilerInfo, *_: object) -> ForkServer:
    """The running fork server of a compiler."""
    return next(server for key, server in forkserver._servers.items() if key[0] == str(compiler.path))


def _import(around: Surroundings) -> None:
    """Import the modules that commands import when they run, as a forked process finds them out."""
    (around.mutant / "suite").mkdir(parents=True)
    (around.mutant / "model.onnx").write_bytes(bases.models()[0])
    bases.copy_finding(0, around.mutant / FINDING, "numpy")
    for commands in COMMANDS["model"], COMMANDS["finding"]:
        for name in _forked(lambda commands=commands: _imported(around, commands)):
            with suppress(ImportError, ValueError):
                importlib.import_module(name)
    for folder in (around.mutant, around.out):
        shutil.rmtree(folder)
    around.out.mkdir()


def _imported(around: Surroundings, commands: Sequence[Command]) -> list[str]:
    """Run the commands in silence, and return the modules that this process has imported for them."""
    before = set(sys.modules)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for command in commands:
        if command.when(around.mutant):
            command.run(around.mutant, around.out)
    return sorted(name for name in set(sys.modules) - before if name.partition(".")[0] not in _LARGE)


def start_servers() -> None:
    """Start the fork servers of compilers and of the user's code, unless they run. Forked processes share them."""
    for server in list(forkserver._servers.values()):
        if os.waitid(os.P_PID, server.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            forkserver.forget(server)
    running = {key[0] for key in forkserver._servers}
    for name in COMPILERS:
        if str(find(name).path) not in running:
            with CompilerSession(Conditions(python=sys.executable), find(name)) as session:
                session.worker().start()
    if not any("sandbox_worker" in path for path in running):
        with Sandbox() as sandbox:
            sandbox.call("a test", os.getpid)


def _few_rules() -> list[Rule]:
    """Rules that are evenly spread, and the one of the campaign that mutants begin with, so that it can be resumed."""
    rules = load()
    return [rule for i, rule in enumerate(rules) if i % (len(rules) // _RULES) == 0 or rule.name == bases.RULE]


def _forked(function: Callable[[], T]) -> T:
    """The result of a function in a forked process."""
    source, target = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        with open(target, "wb") as stream:
            pickle.dump(function(), stream)
        os._exit(0)
    os.close(target)
    with open(source, "rb") as stream:
        result: T = pickle.load(stream)
    os.waitpid(child, 0)
    return result
