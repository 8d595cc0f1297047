"""Forked workers: one import of the framework serves all, each is its own process, and a lost server is replaced.

The compiler is a fake that leaves a mark when it is imported.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from polyjuice.execution import Limits, Script, Worker, run_script
from polyjuice.execution.forkserver import server_of
from tests.support.workers import Lifeline, do, fake


def marked(folder: Path, extra: str = "", **info: bool) -> tuple[Worker, Path]:
    """A worker of a compiler that adds a line to a file when it is imported."""
    marks = folder / "imported"
    return Worker(fake(folder, f'open({str(marks)!r}, "a").write("once\\n")\n' + extra, **info)), marks


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
    first, marks = marked(tmp_path, forks=False)
    with first, Worker(first.compiler) as second:
        assert do(first, "").status == do(second, "").status == "ok"
    assert imports(marks) == 2


@contextmanager
def script(folder: Path, text: str) -> Iterator[Script]:
    """A script in a fork of a compiler's process. The compiler sets a variable while it prepares itself."""
    worker, _ = marked(folder, 'import os\n\ndef prepare(options):\n    os.environ["POLYJUICE_SET"] = "1"\n')
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8")
    running = run_script(path, worker.compiler, sys.executable, Limits(), {})
    try:
        yield running
    finally:
        running.end()


@pytest.mark.parametrize(
    ("text", "status", "printed"),
    [
        ("print('said', file=sys.stderr)\nprint('wrong')\nsys.exit(1)", 1, ("wrong\n", "said")),
        (
            "print(__name__, os.environ.get('POLYJUICE_SET'), os.getcwd() == os.path.dirname(__file__))",
            0,
            "__main__ None True",
        ),
        ("sys.excepthook = lambda *_: sys.exit(2)\n1 / 0", 2, ""),
        ("os.abort()", -signal.SIGABRT, ""),
    ],
)
def test_a_script_runs_as_it_does_from_scratch(
    tmp_path: Path, text: str, status: int, printed: str | tuple[str, str]
) -> None:
    with script(tmp_path, f"import os, sys\n{text}\n") as running:
        assert running.wait(60) == status
        output, errors = running.printed()
    assert (output, errors) == printed if isinstance(printed, tuple) else output.strip() == printed


def test_nothing_outlives_a_script(tmp_path: Path) -> None:
    lives = Lifeline(tmp_path)
    text = (
        f"import subprocess\nheld = {lives.hold}\n"
        "subprocess.Popen(['sleep', '1000'], stdout=-3, stderr=-3, pass_fds=[held])\n"
    )
    with script(tmp_path, text) as running:
        assert running.wait(60) == 0
    lives.wait_for_the_end()


def test_a_script_ends_where_it_is_not_waited_for(tmp_path: Path) -> None:
    lives = Lifeline(tmp_path)
    with script(tmp_path, f"import os, time\nos.write({lives.hold}, b'begun')\ntime.sleep(1000)\n") as running:
        lives.wait_for_the_beginning()
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(0.0)
    lives.wait_for_the_end()
