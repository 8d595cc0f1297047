"""Whatever a compiler does to its process, the host gets an outcome, and forked workers share one import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from polyjuice import compilers
from polyjuice.execution import EnvironmentProblem, Limits, Script, Worker, probe, run_script
from polyjuice.execution.forkserver import forget, server_of
from polyjuice.plugins import installable
from tests.support.workers import LIMITS, ONES, Lifeline, alive, do, fake


def text(values: str) -> str:
    """Source that returns a text (an expression) as the output."""
    return f"import numpy as np\noutputs = [('uint8', np.frombuffer(({values}).encode(), np.uint8))]"


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> compilers.CompilerInfo:
    """The plain fake. All tests that use it share a fork server."""
    return fake(tmp_path_factory.mktemp("fake"))


@pytest.fixture
def worker(compiler: compilers.CompilerInfo) -> Iterator[Worker]:
    with Worker(compiler, limits=LIMITS) as worker:
        yield worker


def test_ok(worker: Worker) -> None:
    outcome = do(worker, "pass")
    assert (outcome.status, outcome.stage, outcome.message) == ("ok", "", "")
    np.testing.assert_array_equal(outcome.outputs[0][0], ONES)
    assert outcome.reference is None
    assert worker.info == {"version": "1.0", "python": sys.version.split()[0], "knobs": ["fusion"], "anytime": []}
    assert worker.seconds["start"] > 0


def test_an_exception_is_an_error_of_the_stage_that_raised_it(worker: Worker) -> None:
    outcome = do(worker, "raise ValueError('no such pass')")
    assert (outcome.status, outcome.stage) == ("error", "compile")
    assert outcome.message == "ValueError: no such pass"
    assert "exec(program, names)" in outcome.traceback
    pid = worker.pid
    assert do(worker, "outputs = 1 / 0 if False else None").stage == "run"
    assert worker.pid == pid


def test_warnings_do_not_hide_what_a_cpp_compiler_calls_an_error(worker: Worker) -> None:
    source = r"""
    warning = "vec.h:7:3: warning: overflow in conversion\n    7 |   0xff,\n      |   ^~~~\n"
    error = "main.cpp:26:38: error: operands have different types\n   26 |   a ? b : c\n"
    raise ValueError("g++ main.cpp\n" + 1000 * warning + error + 1000 * warning)
    """
    outcome = do(worker, source)
    message = "g++ main.cpp\nmain.cpp:26:38: error: operands have different types\n   26 |   a ? b : c\n"
    assert outcome.message == "ValueError: " + message
    assert outcome.traceback.endswith(message + "\n")
    assert "exec(program, names)" in outcome.traceback


def test_a_long_error_leaves_room_for_where_it_was_raised(worker: Worker) -> None:
    traceback = do(worker, "raise ValueError(50_000 * 'x' + 'the end')").traceback
    assert "exec(program, names)" in traceback
    assert traceback.endswith("the end\n")
    assert len(traceback) < 20_100


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import ctypes; ctypes.string_at(0)", "the process was ended by SIGSEGV during compile"),
        ("import ctypes; ctypes.string_at(0)", "in string_at"),
        ("import os; os.abort()", "the process was ended by SIGABRT during compile"),
        ("import os; os._exit(3)", "the process exited with status 3 during compile"),
        ("raise SystemExit(4)", "the process exited with status 4 during compile"),
        ("import os, sys; sys.stderr.write('last words\\n'); os._exit(1)", "last words"),
    ],
)
def test_the_death_of_the_process_is_a_crash(worker: Worker, source: str, message: str) -> None:
    outcome = do(worker, source)
    assert (outcome.status, outcome.stage) == ("crash", "compile")
    assert message in outcome.message
    assert do(worker, "pass").status == "ok"


def test_a_crash_ends_the_process_although_the_framework_handles_its_signal(tmp_path: Path) -> None:
    waits = "import ctypes; libc = ctypes.CDLL(None); libc.signal(11, ctypes.cast(libc.pause, ctypes.c_void_p))"
    with Worker(fake(tmp_path, waits)) as worker:
        assert "SIGSEGV" in do(worker, "import ctypes; ctypes.string_at(0)").message


def test_an_endless_loop_is_a_hang(hasty: Worker) -> None:
    outcome = do(hasty, "while True: pass")
    assert (outcome.status, outcome.stage) == ("hang", "compile")
    assert outcome.message == "no end of compile within 1 s"
    assert hasty.seconds["compile"] >= 1
    assert do(hasty, "pass").status == "ok"


def test_children_are_ended_with_a_hanging_worker(hasty: Worker, tmp_path: Path) -> None:
    lives = Lifeline(tmp_path)
    source = f'import subprocess\nheld = {lives.hold}\nsubprocess.run(["sleep", "1000"], pass_fds=[held])'
    assert do(hasty, source).status == "hang"
    lives.wait_for_the_end()


def test_running_out_of_memory_is_a_crash(worker: Worker) -> None:
    do(worker, "pass")
    pid = worker.pid
    outcome = do(worker, "bytearray(3 << 30)")
    assert (outcome.status, outcome.stage, outcome.message) == ("crash", "compile", "MemoryError: ")
    assert do(worker, "bytearray(100 << 20)").status == "ok"
    assert worker.pid != pid


def test_a_grown_process_is_replaced(compiler: compilers.CompilerInfo) -> None:
    with Worker(compiler, limits=Limits(recycle_rss_gib=0.25)) as worker:
        assert do(worker, "pass").status == "ok"
        pid = worker.pid
        assert do(worker, "pass").status == "ok"
        assert worker.pid == pid
        assert do(worker, "import builtins; builtins.kept = b'x' * (400 << 20)").status == "ok"
        assert do(worker, "import builtins; assert not hasattr(builtins, 'kept')").status == "ok"
        assert worker.pid != pid


def test_prints_do_not_disturb_the_channel(worker: Worker) -> None:
    prints = """
    import os, subprocess, sys
    print("from Python", flush=True)
    os.write(1, b"from C++")
    subprocess.run(["echo", "from a child"])
    assert sys.stdin.read() == ""
    """
    outcome = do(worker, prints)
    assert (outcome.status, outcome.message) == ("ok", "")
    message = do(worker, "import os; os._exit(1)").message
    assert [words for words in ("from Python", "from C++", "from a child") if words not in message] == []


def test_a_flood_on_standard_error_neither_blocks_nor_accumulates(worker: Worker) -> None:
    flood = "import sys\nfor i in range(200_000): print('noise', i, file=sys.stderr)\n"
    assert do(worker, flood).status == "ok"
    outcome = do(worker, "import os; os._exit(1)")
    assert "noise 199999" in outcome.traceback
    assert len(outcome.traceback) < 20_000


def test_python_path_and_its_site_hook_reach_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text("print('noise')\nimport builtins\nbuiltins.planted = 'yes'\n")
    (hooks / "neighbour.py").write_text("name = __name__\n")
    monkeypatch.setenv("PYTHONPATH", str(hooks))
    with Worker(fake(tmp_path)) as worker:
        outcome = do(worker, "import neighbour, sys\n" + text("planted + sys.path[0]"))
        assert outcome.outputs[0][0].tobytes().decode() == f"yes{hooks}"


def test_a_failing_site_hook_is_a_problem_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("raise ValueError('typing error')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(EnvironmentProblem, match="typing error"), Worker(fake(tmp_path)) as worker:
        do(worker, "pass")


def test_a_compiler_file_may_have_its_frameworks_name(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    (tmp_path / "_shared.py").write_text("word = 'shared'\n")
    code = """
    import onnxruntime
    from . import _shared

    def version():
        return onnxruntime.__version__ + " " + _shared.word
    """
    with Worker(fake(tmp_path, code, name="onnxruntime")) as worker:
        assert do(worker, "pass").status == "ok"
        assert worker.info["version"] == f"{onnxruntime.__version__} shared"


def test_the_scratch_folder_and_temporary_files_go_with_the_process(tmp_path: Path) -> None:
    code = "def start(options): globals().update(scratch=options['scratch'])"
    with Worker(fake(tmp_path, code), limits=Limits(compile_s=1)) as worker:
        source = """
        import sys, tempfile
        scratch = sys.modules["_polyjuice_compilers.fake"].scratch
        assert tempfile.mkdtemp().startswith(scratch)
        """
        outcome = do(worker, textwrap.dedent(source) + text("scratch"))
        scratch = Path(outcome.outputs[0][0].tobytes().decode())
        assert scratch.is_dir()
        assert do(worker, "while True: pass").status == "hang"
        assert not scratch.exists()


def test_the_toolchain_folder_outlives_the_process_where_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def start(options): globals().update(options)"
    source = 'import sys\nnames = vars(sys.modules["_polyjuice_compilers.fake"])\n'
    for cache, expected in ((tmp_path, f"{tmp_path}/polyjuice/toolchain"), (Path("/dev/null"), "scratch")):
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
        with Worker(fake(tmp_path, code)) as worker:
            shown = text("names['toolchain'].replace(names['scratch'] + '/toolchain', 'scratch')")
            assert do(worker, source + shown).outputs[0][0].tobytes().decode() == expected


HOST = """
import sys
from pathlib import Path
from polyjuice import compilers
from polyjuice.execution import Artifact, Worker
worker = Worker(compilers.read("fake", Path(sys.argv[1])))
worker.execute(Artifact(format="torch", source=sys.argv[2]), [[]])
"""


def test_no_worker_outlives_its_host(tmp_path: Path) -> None:
    lives = Lifeline(tmp_path)
    source = f"""
import os, subprocess
held = {lives.hold}
child = subprocess.Popen(["sleep", "1000"], pass_fds=[held])
os.write(held, b"begun")
while True: pass
"""
    package = Path(compilers.__file__).parents[2]
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(fake(tmp_path).path), source],
        env={**os.environ, "PYTHONPATH": str(package), "TMPDIR": str(tmp_path)},
        cwd=tmp_path,
    )
    lives.wait_for_the_beginning()
    host.send_signal(signal.SIGKILL)
    host.wait()
    lives.wait_for_the_end()


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="the processor is not shared among sessions")
def test_a_worker_and_its_server_give_way_as_their_host_does(tmp_path: Path) -> None:
    source = f"""
import os
from pathlib import Path
keeper = Path(f"/proc/{{os.getppid()}}/status").read_text()
groups = [Path(f"/proc/{{process}}/autogroup").read_text() for process in ("self", keeper.split("PPid:")[1].split()[0])]
Path({str(tmp_path / "told")!r}).write_text(" ".join(group.split()[-1] for group in groups))
"""
    command = [sys.executable, "-c", HOST, str(fake(tmp_path).path), source]
    env = {**os.environ, "PYTHONPATH": str(Path(compilers.__file__).parents[2])}
    subprocess.run(["nice", "-n", "5", *command], env=env, check=True)
    due = min(os.getpriority(os.PRIO_PROCESS, 0) + 5, 19)
    assert (tmp_path / "told").read_text() == f"{due} {due}"


def test_an_interrupt_ends_the_process(worker: Worker) -> None:
    do(worker, "pass")
    pid = worker.pid
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.alarm(1)
        with pytest.raises(KeyboardInterrupt):
            do(worker, "while True: pass")
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert not alive(pid)
    assert do(worker, "pass").status == "ok"


def test_a_restart_that_fails_is_an_outcome(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = f"""
    import os
    def start(options):
        if os.path.exists({str(mark)!r}):
            os.abort()
    """
    with Worker(fake(tmp_path, code)) as worker:
        assert do(worker, f"open({str(mark)!r}, 'w'); import os; os._exit(1)").status == "crash"
        outcome = do(worker, "pass")
        assert (outcome.status, outcome.stage) == ("crash", "start")
        mark.unlink()
        assert do(worker, "pass").status == "ok"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such", "fake needs a fake: pip install fake (in PYTHON: No module named 'no_such')"),
        ("def check(): raise RuntimeError('install g++')", "install g++"),
        (
            "def check(): import os; os._exit(7)",
            "fake did not start in PYTHON, which must have Python >= 3.9 and NumPy >= 1.24: "
            "the process exited with status 7 during start",
        ),
    ],
)
def test_a_compiler_that_cannot_be_used_says_why(tmp_path: Path, code: str, reason: str) -> None:
    compiler = fake(tmp_path, code)
    reason = reason.replace("PYTHON", sys.executable)
    with pytest.raises(EnvironmentProblem) as caught, Worker(compiler) as worker:
        do(worker, "pass")
    reason = installable(reason)
    assert str(caught.value) == reason
    assert probe(compiler) == {"available": False, "version": "", "reason": reason}


def test_options_that_cannot_be_had_are_a_problem_of_the_environment(tmp_path: Path) -> None:
    code = "def start(options): raise RuntimeError('no device ' + options['device'])"
    worker = Worker(fake(tmp_path, code), options={"device": "cuda"})
    with pytest.raises(EnvironmentProblem, match="no device cuda"):
        worker.start()


def test_probe_of_a_usable_compiler(tmp_path: Path) -> None:
    code = "def start(options): raise AssertionError('a probe does not start it')"
    assert probe(fake(tmp_path, code)) == {"available": True, "version": "1.0", "reason": ""}


@pytest.mark.parametrize(
    ("python", "reason"),
    [
        ("/no/such/python", "there is no Python interpreter at /no/such/python"),
        ("/bin/ls", "/bin/ls is no Python interpreter: name one that has a fake: "),
    ],
)
def test_an_interpreter_that_is_none(
    compiler: compilers.CompilerInfo, python: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = probe(compiler, python)
    assert capfd.readouterr() == ("", "")
    assert not answer["available"]
    assert answer["reason"].startswith(reason)
    assert "\n" not in answer["reason"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux finds a daemon")
@pytest.mark.parametrize("end", ["", "import os; os.abort()", "while True: pass"])
def test_a_daemon_ends_with_its_worker(hasty: Worker, tmp_path: Path, end: str) -> None:
    """It has a session of its own, and its parent has ended. The worker ends well, in a crash, or in a hang."""
    lives = Lifeline(tmp_path)
    daemon = f"""
    import os, time
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.write({lives.hold}, b"begun")
            time.sleep(1000)
        os._exit(0)
    os.wait()
    """
    assert do(hasty, daemon).status == "ok"
    lives.wait_for_the_beginning()
    do(hasty, end)
    hasty.close()
    lives.wait_for_the_end()


def test_what_a_compiler_does_not_do_has_a_status(worker: Worker) -> None:
    assert do(worker, "raise NotImplementedError('Det')").status == "unsupported"
    outcome = do(worker, "import numpy as np; outputs = [('complex256', np.ones(2, np.complex64))]")
    assert (outcome.status, outcome.stage) == ("error", "run")
    assert "complex256" in outcome.message


def test_a_worker_that_was_killed_while_idle_costs_nothing(worker: Worker) -> None:
    assert do(worker, "pass").status == "ok"
    pid = worker.pid
    os.kill(pid, signal.SIGKILL)
    while alive(pid):
        pass
    assert do(worker, "pass").status == "ok"
    assert worker.pid != pid


def test_a_worker_outlives_its_fork_server_and_still_says_how_it_ended(worker: Worker) -> None:
    do(worker, "pass")
    forget(server_of(worker.compiler, sys.executable, {}))
    assert "SIGSEGV" in do(worker, "import ctypes; ctypes.string_at(0)").message


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process holds")
@pytest.mark.parametrize("holder", ["", "os.fork() or "])
def test_memory_is_bounded_for_the_worker_and_its_children_together(
    compiler: compilers.CompilerInfo, holder: str
) -> None:
    """The limit of the address space alone would not stop memory that is mapped and shared, or held by children."""
    source = f"""
    import mmap, os, time
    {holder}globals().update(kept=[mmap.mmap(-1, 200 << 20) for _ in range(3)])
    for part in globals().get("kept", ()):
        part.write(bytes(200 << 20))
    time.sleep(1000)
    """
    with Worker(compiler, limits=Limits(compile_s=60, memory_gib=0.3), options={"device": "cuda"}) as worker:
        outcome = do(worker, source)
        assert (outcome.status, outcome.stage) == ("crash", "compile")
        assert outcome.message.startswith("the process was ended, because its memory exceeded 0.3 GiB during compile")
        assert do(worker, "pass").status == "ok"


def test_a_temporary_folder_that_grows_is_bounded(compiler: compilers.CompilerInfo) -> None:
    source = """
    import tempfile, time
    with open(tempfile.mkstemp()[1], "wb") as file:
        file.write(bytes(100 << 20))
    time.sleep(1000)
    """
    with Worker(compiler, limits=Limits(compile_s=60, folder_gib=0.05)) as worker:
        outcome = do(worker, source)
        assert (outcome.status, outcome.stage) == ("crash", "compile")
        assert "its temporary folder exceeded 0.05 GiB during compile" in outcome.message


def test_a_worker_with_a_large_temporary_folder_is_replaced(compiler: compilers.CompilerInfo) -> None:
    """This goes on until the keeper has measured the folder, which it does every second."""
    fill = "import tempfile, time\nopen(tempfile.mkstemp()[1], 'wb').write(bytes(20 << 20))\ntime.sleep(0.1)"
    with Worker(compiler, limits=Limits(recycle_folder_gib=0.01)) as worker:
        do(worker, fill)
        pid = worker.pid
        while worker.pid == pid:
            assert do(worker, fill).status == "ok"


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("import os; os.chdir('/')", "its current folder"),
        ("import os, shutil; shutil.rmtree(os.environ['TMPDIR'])", "its temporary folder"),
        ("import os; os.environ['TMPDIR'] = '/'", "the variable TMPDIR"),
        ("import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)", "the signals that it ignores or blocks"),
        ("import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))", "its resource limits"),
        ("import os; os.close(2)", "its standard streams"),
    ],
)
def test_a_process_that_the_compiler_has_changed_is_replaced(worker: Worker, source: str, change: str) -> None:
    outcome = do(worker, source)
    assert (outcome.status, outcome.disturbed) == ("ok", (change,))
    assert do(worker, "import tempfile; tempfile.mkstemp()").disturbed == ()


def test_garbage_in_the_channel_is_a_crash(worker: Worker) -> None:
    source = """
    import os, stat, time
    for fd in map(int, os.listdir("/proc/self/fd")):
        if os.path.exists(f"/proc/self/fd/{fd}") and stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.write(fd, b"12 graphs compiled\\n")
    """
    message = do(worker, source).message
    assert message.startswith("the process wrote into the channel that reports its results during compile")
    assert do(worker, "pass").status == "ok"


def test_a_fork_that_comes_out_of_the_compiler_answers_nothing(worker: Worker) -> None:
    first = do(worker, "import os; os.fork()\n" + text("'first'"))
    again = do(worker, text("'second'"))
    assert [one.outputs[0][0].tobytes() for one in (first, again)] == [b"first", b"second"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class E(Exception):\n    def __str__(self): 1 / 0\nraise E()", "E: <its text cannot be had"),
        ("raise ValueError(r'\\x1b[31m' + chr(27) + chr(0) + chr(0x202e) + chr(0xd800))", r"\x1b\x00\u202e\ud800"),
        ("raise ValueError(10_000_000 * 'x')", "ValueError: xxx"),
    ],
)
def test_the_text_of_an_error_can_be_printed(worker: Worker, source: str, message: str) -> None:
    outcome = do(worker, source)
    assert (outcome.status, outcome.stage) == ("error", "compile")
    assert message in outcome.message
    assert len(outcome.message) <= 4_100
    assert all(c.isprintable() or c in "\n\t" for c in outcome.message + outcome.traceback)


HANGS = Limits(compile_s=1)


@pytest.fixture
def hasty(compiler: compilers.CompilerInfo) -> Iterator[Worker]:
    """A worker whose compilations may take a second."""
    with Worker(compiler, limits=HANGS) as worker:
        yield worker


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
