"""Workers that are forked: the framework is imported once, each is a process of its own, and a lost server is replaced.

The compiler is a fake that leaves a mark where it is imported.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from polyjuice.execution import Worker
from polyjuice.execution.forkserver import server_of
from tests.support.workers import do, fake


def marked(folder: Path, extra: str = "") -> tuple[Worker, Path]:
    """A worker of a compiler that adds a line to a file when it is imported."""
    marks = folder / "imported"
    return Worker(fake(folder, f'open({str(marks)!r}, "a").write("once\\n")\n' + extra)), marks


def imports(marks: Path) -> int:
    return len(marks.read_text().splitlines())


def test_the_framework_is_imported_once_for_all_workers(tmp_path: Path) -> None:
    first, marks = marked(tmp_path)
    with first, Worker(first.compiler) as second:
        assert do(first, "").status == do(second, "").status == "ok"
        assert first.pid != second.pid
    assert imports(marks) == 1


def test_a_worker_sees_nothing_of_what_another_did(tmp_path: Path) -> None:
    first, _ = marked(tmp_path)
    with first, Worker(first.compiler) as second:
        assert do(first, "import builtins; builtins.left = 1").status == "ok"
        assert "AttributeError" in do(second, "import builtins; builtins.left").message


def test_a_crash_costs_one_worker(tmp_path: Path) -> None:
    first, marks = marked(tmp_path)
    with first, Worker(first.compiler) as second:
        assert do(second, "").status == "ok"
        pid = second.pid
        assert do(first, "import os; os.abort()").message.startswith("the process was ended by SIGABRT")
        assert do(first, "").status == do(second, "").status == "ok"
        assert second.pid == pid
    assert imports(marks) == 1


def test_a_server_that_was_killed_is_replaced(tmp_path: Path) -> None:
    worker, marks = marked(tmp_path)
    with worker:
        assert do(worker, "").status == "ok"
    os.kill(server_of(worker.compiler, sys.executable, {}).process.pid, signal.SIGKILL)
    with worker:
        assert do(worker, "").status == "ok"
    assert imports(marks) == 2


def test_another_environment_gets_another_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker, marks = marked(tmp_path)
    with worker:
        assert do(worker, "").status == "ok"
    monkeypatch.setenv("POLYJUICE_TEST", "changed")
    with worker:
        assert do(worker, "import os; assert os.environ['POLYJUICE_TEST'] == 'changed'").status == "ok"
    assert imports(marks) == 2


def test_a_framework_that_cannot_be_forked_is_imported_for_each(tmp_path: Path) -> None:
    first, marks = marked(tmp_path, 'FORKS = "no"\n')
    with first, Worker(first.compiler) as second:
        assert do(first, "").status == do(second, "").status == "ok"
    assert imports(marks) == 2
