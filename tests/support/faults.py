"""A compiler that does what it must not do: it kills its process, hangs, scribbles, or leaves things behind.

It is the numpy control. The number of the fault is a constant of the program, so that a model chooses a fault. In
packs, which hold generated programs alone, an operator chooses it. Any other program is computed rightly.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from polyjuice.generate import generate
from polyjuice.generate.suite_record import Turn
from polyjuice.ops import TABLE
from tests.support.commands import save_model
from tests.support.plugins import CONTROL_INFO, plugin

FIRST = 1000
"""The constant of the first fault. No other constant of a model is as large."""


@dataclass(frozen=True)
class Fault:
    """A fault: what it does in ``compile``, and in ``run`` where "" computes the right outputs.

    ``kind`` is the kind of its finding, "" for none. ``message`` is a part of the finding's message. ``note`` is a part
    of a note on its case. ``once`` means that it happens only the first time.
    """

    compile: str = ""
    run: str = ""
    kind: str = ""
    message: str = ""
    note: str = ""
    once: bool = False


FAULTS: dict[str, Fault] = {
    "campaign process killed from outside": Fault("os.kill(host(), signal.SIGKILL); time.sleep(1000)", once=True),
    "segfault": Fault("ctypes.string_at(0)", "", "crash", "SIGSEGV during compile"),
    "segfault in run": Fault("", "ctypes.string_at(0)", "crash", "SIGSEGV during run"),
    "abort": Fault("os.abort()", "", "crash", "SIGABRT during compile"),
    "std::terminate": Fault('ctypes.CDLL("libstdc++.so.6")._ZSt9terminatev()', "", "crash", "SIGABRT during compile"),
    "hang in compile": Fault("while True: pass", "", "hang", "no end of compile within"),
    "hang in run": Fault("", "while True: pass", "hang", "no end of run within"),
    "hang in C, SIGTERM ignored": Fault(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); ctypes.PyDLL(None).sleep(1000)", "", "hang", "no end of compile"
    ),
    "stop": Fault("os.kill(os.getpid(), signal.SIGSTOP)", "", "hang", "no end of compile within"),
    "_exit(0)": Fault("os._exit(0)", "", "crash", "exited with status 0 during compile"),
    "_exit(1) in run": Fault("", "os._exit(1)", "crash", "exited with status 1 during run"),
    "sys.exit": Fault("sys.exit(5)", "", "crash", "exited with status 5 during compile"),
    "out of memory": Fault("kept = [np.empty(2**30, np.uint8) for _ in range(1000)]", "", "crash", "MemoryError"),
    "worker killed from outside": Fault(
        "os.kill(os.getpid(), signal.SIGKILL)", note="SIGKILL during compile", once=True
    ),
    "keeper killed from outside": Fault(
        "os.kill(os.getppid(), signal.SIGKILL); time.sleep(1000)", note="SIGKILL during compile", once=True
    ),
    "fork server killed from outside": Fault("os.kill(parent_of(os.getppid()), signal.SIGKILL)", once=True),
    "garbage on standard output": Fault(
        "[os.write(stream, bytes(range(256)) * 4096) for stream in (1, 2) for _ in range(8)]"
    ),
    "garbage in the channel": Fault(
        "[os.write(fd, b'garbage\\\\n' * 100) for fd in sockets()]; time.sleep(1000)",
        "",
        "crash",
        "wrote into the channel that reports its results during compile",
    ),
    "closes all descriptors": Fault("os.closerange(0, 256)", "", "crash", "during compile"),
    "closes its standard streams": Fault("os.close(1); os.close(2)", note="its standard streams"),
    "daemon left behind": Fault("daemon()"),
    "other current folder": Fault("os.chdir('/')", note="its current folder"),
    "temporary folder deleted": Fault("shutil.rmtree(os.environ['TMPDIR'])", note="its temporary folder"),
    "signals ignored": Fault(
        "[signal.signal(n, signal.SIG_IGN) for n in (signal.SIGTERM, signal.SIGIO, signal.SIGCHLD)]",
        note="the signals that it ignores",
    ),
    "resource limits": Fault("resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))", note="its resource limits"),
    "wrong shape": Fault("", "outputs = [(d, v.reshape(-1)) for d, v in outputs]", "mismatch", "shape"),
    "wrong dtype": Fault("", "outputs = [('int64', v.astype('int64')) for d, v in outputs]", "mismatch", "int64"),
    "object array": Fault("", "outputs = [(d, v.astype(object)) for d, v in outputs]", "crash", "TypeError"),
    "no array": Fault(
        "", "outputs = [(d, v.tolist()) for d, v in outputs]", "crash", "TypeError: a value of type list"
    ),
    "NaN size": Fault("", "outputs = [(d, Lying(v)) for d, v in outputs]", "crash", "TypeError: a value of type Lying"),
    "too many outputs": Fault("", "outputs = outputs * 3", "crash", "outputs: 3 instead of 1"),
    "no outputs": Fault("", "outputs = []", "crash", "outputs: 0 instead of 1"),
    "outputs by chance": Fault(
        "", "outputs = outputs * (1 + next(counter) % 2)", "crash", "the numbers of outputs are [1, 2]"
    ),
    "None": Fault("", "outputs = None", "crash", "TypeError"),
    "str() raises": Fault("raise Mute()", "", "crash", "Mute: <its text cannot be had"),
    "message of 50 MB": Fault("raise ValueError('x' * 50_000_000)", "", "crash", "ValueError: xxx"),
    "control characters": Fault(
        "raise ValueError('\\\\x1b[2J\\\\x00\\\\x07 red \\\\ud800')",
        "",
        "crash",
        r"ValueError: \x1b[2J\x00\x07 red \ud800",
    ),
    "no Exception": Fault("raise Base('no Exception')", "", "crash", "exited with status 1 during compile"),
}

CAMPAIGN_KILLED = "campaign process killed from outside"

QUICK = [
    CAMPAIGN_KILLED,
    "segfault",
    "",
    "hang in C, SIGTERM ignored",
    "out of memory",
    "keeper killed from outside",
    "fork server killed from outside",
    "",
    "garbage on standard output",
    "garbage in the channel",
    "daemon left behind",
    "other current folder",
    "temporary folder deleted",
    "wrong shape",
    "no outputs",
    "NaN size",
    "control characters",
    "",
]
"""The faults of a quick test, in order. "" is a case without a fault."""

PACKED = {
    "Tanh": "segfault",
    "Cos": "hang in compile",
    "Exp": "_exit(0)",
    "Sqrt": "out of memory",
    "Floor": "garbage in the channel",
}
"""Faults of generated programs, by the operator that meets them."""

_RIGHT = ("Abs", "Neg", "Relu", "Sign")
"""Further operators of these programs, which meet no fault."""

HOPELESS = "campaign process killed each time"
"""A fault that no campaign survives undamaged: its case is given up, and the campaign ends with 3."""

_ALL = {**FAULTS, HOPELESS: Fault("os.kill(host(), signal.SIGKILL); time.sleep(1000)")}

CODE = '''
import ctypes, itertools, os, resource, shutil, signal, socket, stat, struct, sys, time
import numpy as np

FIRST = {first}
HELD = {held!r}
OPERATORS = {operators!r}
MARKS = {marks!r}
counter = itertools.count()


class Mute(Exception):
    def __str__(self):
        raise ValueError("no text")


class Base(BaseException):
    pass


class Lying:
    def __init__(self, values):
        self.dtype, self.shape, self.nbytes = values.dtype, (float("nan"),), 8


def parent_of(pid):
    with open(f"/proc/{{pid}}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def sockets():
    found = (int(name) for name in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + name))
    return [fd for fd in found if stat.S_ISSOCK(os.fstat(fd).st_mode)]


def host():
    """The process that made the channel."""
    channel = socket.socket(fileno=os.dup(sockets()[0]))
    return struct.unpack("iii", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]


def daemon():
    """Leave a process behind, in a session of its own, whose parent has ended."""
    if not os.fork():
        os.setsid()
        if not os.fork():
            held = os.open(HELD, os.O_WRONLY)
            time.sleep(1000)
        os._exit(0)
    os.wait()


def once(number):
    try:
        os.close(os.open(os.path.join(MARKS, str(number)), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def fault(program):
    if OPERATORS:
        return next((OPERATORS[node.op] for node in program.nodes if node.op in OPERATORS), -1)
    sizes = (values for values in program.constants.values() if values.size == 1)
    return next((int(values.item()) - FIRST for values in sizes if values.item() >= FIRST), -1)


def compile(program, inputs):
    number = fault(program)
{compiles}
    return control.compile(program, inputs)


def run(compiled, inputs):
    number = fault(compiled)
    outputs = control.run(compiled, inputs)
{runs}
    return outputs


draft = compile


def build():
    pass
'''

_MODEL = """<ir_version: 9, opset_import: ["" : 18]>
    small (float[3,4] x, float[3,4] w) => (float[3,4] y) <float c = {{{constant}}}>
    {{ s = Add(x, w) r = Relu(s) y = Mul(r, c) }}"""


def compiler(
    folder: Path, held: str = "", operators: Mapping[str, str] | None = None, batches: bool = False
) -> dict[str, str]:
    """Install the compiler ``fake``, and return its environment. A daemon opens the named pipe ``held``.

    With ``operators``, an operator chooses the fault of a program, and not a constant. With ``batches``, the compiler
    builds several packs at once.
    """
    marks = folder / "marks"
    marks.mkdir(parents=True)
    parts = {"compiles": "", "runs": ""}
    for number, fault in enumerate(_ALL.values()):
        first = f" and once({number})" if fault.once else ""
        for name, code in (("compiles", fault.compile), ("runs", fault.run)):
            if code:
                parts[name] += f"    if number == {number}{first}:\n{textwrap.indent(code, 8 * ' ')}\n"
    numbers = {operator: [*_ALL].index(name) for operator, name in (operators or {}).items()}
    text = CODE.format(first=FIRST, held=held, operators=numbers, marks=str(marks), **parts)
    return plugin(folder / "site", text, info={**CONTROL_INFO, "probe_compiles": False, "batches": batches})


def models(folder: Path, names: list[str]) -> list[Path]:
    folder.mkdir()
    constants = [FIRST + [*_ALL].index(name) if name else 2 for name in names]
    return [
        save_model(folder / f"{number:02d}.onnx", _MODEL.format(constant=constant))
        for number, constant in enumerate(constants)
    ]


def generated(operators: Mapping[str, str], cases: int) -> tuple[list[object], list[str]]:
    """The arguments of a campaign of generated programs that meet each fault once, and the fault of each case."""
    ops = [op for op in TABLE.values() if op.qualified in (*operators, *_RIGHT)]
    for seed in itertools.count():
        graphs = [generate(1, f"{seed}/{i}/0", None, None, "small", Turn(seed, i), ops) for i in range(cases)]
        names = [next((operators[node.op] for node in graph.nodes if node.op in operators), "") for graph in graphs]
        if sorted(filter(None, names)) == sorted(operators.values()):
            break
    only = [part for op in ops for part in ("--only-operator", op.qualified)]
    return ["--seeds", "small", "--nodes", 1, "-n", cases, "--seed", seed, *only], names
