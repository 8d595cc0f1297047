"""Prepare a process so that commands in forked copies of it start at once."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import onnx.reference.op_run  # noqa: F401 - what commands import later is imported once
from onnx import parser

import polyjuice.suite.checking  # noqa: F401
from benchmarks.broken import bases
from benchmarks.broken.answers import Surroundings
from polyjuice import formats
from polyjuice.campaign import loop
from polyjuice.compilers import find
from polyjuice.egraph import Rule, load, rulefiles
from polyjuice.execution import forkserver
from polyjuice.user_models.sandbox import Sandbox
from polyjuice.session import CompilerSession, Conditions

_RULES = 15
"""How many of the rules commands get, evenly spread: reading a model does not depend on them."""

COMPILERS = ("numpy", "onnxruntime")


def prepare(around: Surroundings, cache: Path) -> None:
    """Change this process: its environment, its rules, and how it starts others.

    - Its home and temporary directory are in ``around``, and its cache is ``cache``.
    - Commands get few rules. Another process reads them, because a process that has used egglog cannot be forked.
    - The process of a campaign is forked, where a campaign would start a fork server. That costs a second.
    """
    cache.mkdir(parents=True, exist_ok=True)
    os.environ.update(
        HOME=str(around.home), TMPDIR=str(around.temporary), XDG_CACHE_HOME=str(cache), OPENBLAS_NUM_THREADS="1", NO_COLOR="1"
    )
    rules = _rules()
    setattr(rulefiles, "_shipped", lambda: rules)  # noqa: B010
    setattr(loop, "_context", lambda: multiprocessing.get_context("fork"))  # noqa: B010
    for text in bases.TEXTS:
        with suppress(formats.FormatError):  # sequences are not supported
            formats.from_model(parser.parse_model(text))
    start_servers()


def start_servers() -> None:
    """Start the fork servers of compilers and of the user's code, unless they run. Forked processes share them."""
    for server in list(forkserver._servers.values()):
        if os.waitid(os.P_PID, server.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            forkserver.forget(server)
    running = {key[0] for key in forkserver._servers}
    for name in COMPILERS:
        if str(find(name).path) not in running:
            with CompilerSession(Conditions(sys.executable), find(name)) as session:
                session.worker().start()
    if not any("sandbox_worker" in path for path in running):
        with Sandbox() as sandbox:
            sandbox.call("a test", os.getpid)


def _rules() -> Sequence[Rule]:
    source, target = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        with open(target, "wb") as stream:
            rules = load()
            pickle.dump(rules[:: max(1, len(rules) // _RULES)], stream)
        os._exit(0)
    os.close(target)
    with open(source, "rb") as stream:
        rules: Sequence[Rule] = pickle.load(stream)
    os.waitpid(child, 0)
    return rules
