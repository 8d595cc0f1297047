"""SIGTERM and SIGHUP interrupt a command as SIGINT does, but not in the middle of a step, and not twice at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyjuice import interrupts

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def handled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Handle the signals in this process during a test, as if none had come before."""
    before = {number: signal.getsignal(number) for number in interrupts.SIGNALS}
    monkeypatch.setattr(interrupts, "_came_at", None)
    monkeypatch.setattr(interrupts, "_waiting", False)
    for number in interrupts.SIGNALS:  # a shell may have started the tests with signals ignored
        signal.signal(number, signal.SIG_DFL)
    interrupts.handle()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", interrupts.SIGNALS)
def test_each_signal_interrupts(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


def test_a_second_signal_does_not_interrupt_the_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)
    later = time.monotonic() + 11
    monkeypatch.setattr(time, "monotonic", lambda: later)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)


def test_a_deferred_interrupt_comes_at_the_end_of_the_block() -> None:
    steps = []

    @interrupts.deferred()
    def work() -> None:
        with interrupts.deferred():
            signal.raise_signal(signal.SIGHUP)
            steps.append("inner")
        steps.append("outer")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["inner", "outer"]


def test_a_deferred_interrupt_comes_where_it_is_allowed() -> None:
    steps = []

    @interrupts.deferred()
    def work() -> None:
        signal.raise_signal(signal.SIGTERM)
        steps.append("whole")
        with interrupts.allowed():
            steps.append("never")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["whole"]


def test_an_interrupt_comes_at_once_where_it_is_allowed() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts.deferred(), interrupts.allowed():
        signal.raise_signal(signal.SIGTERM)


def test_ignored_signals_stay_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupts.handle()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_process_started_while_signals_are_blocked_begins_with_blocked_signals() -> None:
    ask = "import signal; print(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())))"
    with interrupts.blocked():
        answer = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout
    assert all(str(number.value) in answer for number in interrupts.SIGNALS)


def test_an_interrupt_during_the_import_ends_with_130(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import signal, sys\n"
        "class Hook:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'polyjuice.cli':\n"
        "            signal.raise_signal(signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Hook())\n"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "polyjuice", "ops"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
