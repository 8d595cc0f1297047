"""Commands answer broken models, findings, suites and campaigns with status 0, 1 or 2, and 2 with one clear line.

Hypothesis changes one to three things in valid files, and shrinks what goes wrong.
"""

from __future__ import annotations

import io
import json
import pickle
import re
import resource
import shutil
import signal
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import EncodeError, Message
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from onnx import ModelProto, parser

from tests.support.commands import ONE_RULE, ROOT, save_model
from tests.support.commands import polyjuice as run

pytestmark = pytest.mark.long

HANG_S = 120
"""A command hangs that takes longer. Other work may keep the machine busy."""

MEMORY = 4 * 2**30
"""How many bytes of address space a command may take."""

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that change what a terminal does; not the tabulator and the end of a line."""

URL = "https://example.com/bug/1"


def mutants(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with a number of random generators, from which it draws its changes."""

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        rules = settings(max_examples=count, derandomize=True, suppress_health_check=list(HealthCheck))
        return rules(given(rng=st.randoms(use_true_random=False))(test))

    return decorated


# --- commands and their answers ---------------------------------------------------------------------------------------


class Hang(BaseException):
    """A command that does not end."""


class Field:
    """A folder with the mutant, a folder for output, the current folder, and files that no command may touch."""

    def __init__(self, folder: Path) -> None:
        root = folder / "field"
        shutil.rmtree(root, ignore_errors=True)
        self.mutant, self.out, self.work = root / "a" / "mutant", root / "a" / "out", root / "a" / "work"
        self.mutant.mkdir(parents=True)
        self.work.mkdir()
        self.root = root
        for folder in (root, root / "a"):
            (folder / "canary.txt").write_text("untouched\n")

    def answers(self, *arguments: object, changes: str = "") -> None:
        """Run a command, which may change the mutant's folder ``changes``. Check its answer."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        free = (self.out, self.mutant / changes) if changes else (self.out,)
        before = self._files(free)
        with limits():
            done = run(*arguments, cwd=self.work)
        assert done.returncode in (0, 1, 2), done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        assert not CONTROL.search(done.stdout + done.stderr), done
        if done.returncode == 2:
            assert done.stderr.startswith("polyjuice: "), done.stderr
            assert done.stderr.count("\n") == 1, done.stderr
        assert self._files(free) == before

    def _files(self, free: Sequence[Path]) -> dict[Path, object]:
        """The content of each file, except those in some folders."""
        found: dict[Path, object] = {}
        for path in self.root.rglob("*"):
            if not any(path.is_relative_to(folder) for folder in free):
                found[path] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        return found


@contextmanager
def limits() -> Iterator[None]:
    """Raise Hang after HANG_S seconds, and MemoryError beyond MEMORY bytes."""

    def end(*_: object) -> None:
        raise Hang

    present = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    memory, handler = resource.getrlimit(resource.RLIMIT_AS), signal.signal(signal.SIGALRM, end)
    resource.setrlimit(resource.RLIMIT_AS, (present + MEMORY, memory[1]))
    signal.alarm(HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, memory)


def fuzz(field: Field, model: Path) -> None:
    control = ("--compiler", "numpy", "-n", 1, "--workers", 1, "--triage", "0s", "--timeout", 5)
    plain = ("--extract", "original", "--oracle", "differential")
    field.answers("fuzz", *control, *plain, "--seeds", model, "--out", field.out / "campaign")


# --- ONNX models ------------------------------------------------------------------------------------------------------

TEXTS = (
    """(float[3,4] x, float[3,4] w) => (float[3,4] y) { s = Add(x, w) r = Relu(s) y = Mul(r, w) }""",
    """(float[N,4] x, float[M,4] w) => (float[K,4] y) { y = Concat<axis: int = 0>(x, w) }""",
    """(float[2,6] x) => (float[a,b] y) <int64[2] shape = {3, 4}, float[1] one = {1.0}> {
      r = Reshape(x, shape) y = Add(r, one) }""",
    """(float[2] x, bool[1] c) => (float[2] y) {
      y = If (c) <then_branch = t () => (float[2] a) { a = Neg(x) },
                  else_branch = e () => (float[2] b) { b = Abs(x) }> }""",
    """(float[2] x) => (float[2] y) <int64 trips = {3}, bool go = {1}> { y = Loop (trips, go, x)
        <body = b (int64 i, bool c, float[2] v) => (bool d, float[2] w) { d = Identity(c) w = Add(v, x) }> }""",
    """(float[1,2,5,5] x) => (float[1,2,a,b] y) <float[2,2,1,1] w = {1.0, 2.0, 3.0, 4.0}> {
      c = Conv<kernel_shape: ints = [1,1], pads: ints = [0,0,0,0], strides: ints = [1,1]>(x, w)
      y = MaxPool<kernel_shape: ints = [2,2], ceil_mode: int = 1>(c) }""",
    """(float[2,3] x) => (float[2,3] y) { m = own.f<k: float = 2.0>(x) y = own.f<k: float = 3.0>(m) }
    <domain: "own", opset_import: ["" : 18]>
    f <k> (a) => (b) { c = Constant<value_float: float = @k>() b = Mul(a, c) }""",
    """(float[3,4] x) => (float[c,d] y) { s = Shape(x) z = ConstantOfShape(s) e = Expand(x, s) y = Add(z, e) }""",
    """(float[4,3] x, int64[2] i) => (float[2,3] y, float[4,2] v, int64[4,2] p) <int64[1] k = {2}> {
      y = Gather<axis: int = 0>(x, i) v, p = TopK<axis: int = 1, largest: int = 1>(x, k) }""",
    """(float[2,3] x) => (float[2,3] y) <float s = {0.5}, uint8 z = {3}> {
      q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) }""",
    """(float[6,2] x) => (float[a,2] y, float[b,2] z)
      <int64[2] parts = {2, 4}, int64[1] one = {1}, int64[1] end = {9}, int64[1] axis = {0}> {
      u, v = Split<axis: int = 0>(x, parts) y = Slice(u, one, end, axis) z = Transpose<perm: ints = [0,1]>(v) }""",
    """(float[2] x) => (float[2] y) <int64 zero = {0}> { s = SequenceConstruct(x, x) y = SequenceAt(s, zero) }""",
    """(float[2,3] a, float[3,4] b) => (float[2,4] y) { m = Einsum<equation: string = "ij,jk->ik">(a, b)
      c = Cast<to: int = 11>(m) d = Cast<to: int = 1>(c) r = ReduceSum<keepdims: int = 1>(d) y = Add(d, r) }""",
    """(int4[4] x, bfloat16[4] w) => (bfloat16[4] y) { c = Cast<to: int = 16>(x) y = Mul(c, w) }""",
)
"""Small models: sizes with names, subgraphs, functions, folding, sequences, narrow element types."""

HEAD = '<ir_version: 10, opset_import: ["" : 21, "own" : 1]> g '
MODELS = [parser.parse_model(HEAD + text).SerializeToString(deterministic=True) for text in TEXTS]

INTEGERS = (0, 1, -1, 2, 3, 7, 21, 127, 128, 255, 65536, 2**31 - 1, -(2**31), 2**31, 2**40, 2**60, 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, 1.0, 1e-45, 3.4e38, float("inf"), float("-inf"), float("nan"))
NAMES = ("", " ", "x", "None", "lambda", "a\nb", "a\x1b[31mred\x1b[0m", "a\x00b", "\u202eabc", "../../escaped")
NAMES += ("<script>alert(1)</script>", "[bold]x[/]", "'; DROP TABLE cases;--", "\"'`$(touch stray)", "x" * 5000)
"""Names that are empty, long, hostile to a terminal, a path, HTML, SQL, a shell or generated source."""

OPERATORS = "Add If Loop Scan Constant Range Shape Reshape Expand Tile Concat Split Slice Pad Resize Conv MatMul Einsum"
ATTRIBUTES = "axis axes to value value_ints sparse_value pads perm mode body seed com.microsoft ai.onnx aten::add None"
WORDS = [*OPERATORS.split(), *ATTRIBUTES.split()]


def parts(message: Message) -> list[Message]:
    found = [message]
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if field.is_repeated else [value]:
                found += parts(inner)
    return found


def some_scalar(rng: Random, field: FieldDescriptor, model: Message) -> Any:
    """A value for a field: hostile, or one that stands elsewhere in the model."""
    if field.enum_type:
        return rng.choice([*(value.number for value in field.enum_type.values), 99])
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        texts = [v for part in parts(model) for f, v in part.ListFields() if isinstance(v, str)]
        text = rng.choice((texts or NAMES, NAMES, WORDS)[rng.randrange(3)])
        return text if field.type == field.TYPE_STRING else rng.choice((text.encode(), b"\xff\xfe\x00", b"\1" * 12))
    if field.cpp_type in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
        return rng.choice(FLOATS)
    wide = field.cpp_type in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)
    fits = [number for number in INTEGERS if wide or -(2**31) <= number < 2**31]
    return rng.choice(fits if field.cpp_type != FieldDescriptor.CPPTYPE_UINT64 else [abs(number) for number in fits])


def change_field(rng: Random, model: Message) -> None:
    """Change a field of any message in a model."""
    message = rng.choice(parts(model))
    present = [field for field, _ in message.ListFields()]
    field = rng.choice(present if present and rng.random() < 0.7 else list(message.DESCRIPTOR.fields))
    values = getattr(message, field.name)
    if not field.is_repeated:
        if rng.random() < 0.2:
            message.ClearField(field.name)
        elif not field.message_type:
            setattr(message, field.name, some_scalar(rng, field, model))
        else:
            alike = [part for part in parts(model) if part.DESCRIPTOR is field.message_type]
            values.CopyFrom(rng.choice(alike)) if alike else values.SetInParent()
        return
    items = list(values)
    what = rng.choice(("shorter", "longer", "shuffled", "other"))
    if what == "shorter":
        items = items[: rng.randrange(len(items) + 1)]
    elif what == "longer":
        more = items if field.message_type else [some_scalar(rng, field, model)]
        items += more * rng.choice((1, 1, 70, 2000 if len(items) < 3 else 1))
    elif what == "shuffled" or field.message_type or not items:
        rng.shuffle(items)
    else:
        items[rng.randrange(len(items))] = some_scalar(rng, field, model)
    copies = [type(item).FromString(item.SerializeToString()) for item in items] if field.message_type else items
    del values[:]
    values.extend(copies)


def broken_model(rng: Random, data: bytes) -> bytes:
    """A model with one to three changes, or with other bytes."""
    if rng.random() < 0.15:
        return broken_bytes(rng, data)
    model = ModelProto.FromString(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        change_field(rng, model)
    try:
        return model.SerializeToString(deterministic=True)
    except EncodeError:  # too deep for a file
        reject()


# --- files of other kinds ---------------------------------------------------------------------------------------------


def broken_bytes(rng: Random, data: bytes) -> bytes:
    """A file with other bytes, or another file."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    piece = rng.choice((b"\xff" * 9 + b"\x01", b"\x00" * 8, b"\x80" * 10, b"\xff\xff\xff\x7f", b"PK\x03\x04", b"{"))
    repeated, inserted, overwritten = data[:b] + data[a:b] * 9 + data[b:], data[:a] + piece + data[a:], data[:a] + piece
    others = (b"", b"hello", b"\x93NUMPY", b"[" * 5000)
    return rng.choice(
        (data[:a], data[:a] + data[b:], repeated, inserted, overwritten + data[len(overwritten) :], *others)
    )


JSON_VALUES = (*INTEGERS, *FLOATS, *NAMES, None, True, 10**400, [], {}, [None], [[]], {"x": 1}, "\ud800", "1")


def places(value: Any) -> list[tuple[Any, Any]]:
    """The places in a JSON value: each a container and a key."""
    items = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    return [*((value, key) for key, _ in items), *(place for _, inner in items for place in places(inner))]


def broken_json(rng: Random, text: bytes) -> bytes:
    """A JSON text with one to three other values."""
    if rng.random() < 0.1:
        return broken_bytes(rng, text)
    value = json.loads(text)
    for _ in range(rng.choice((1, 1, 2, 3))):
        found = places(value)
        if not found:
            break
        top = [place for place in found if place[0] is value]
        holder, key = rng.choice(top if rng.random() < 0.5 else found)
        what = rng.choice(("value", "value", "missing", "renamed", "nested", "exchanged"))
        if what == "value":
            holder[key] = rng.choice(JSON_VALUES)
        elif what == "nested":
            holder[key] = [holder[key]]
        elif what == "exchanged":
            other, other_key = rng.choice(found)
            holder[key], other[other_key] = json.loads(json.dumps([other[other_key], holder[key]]))
        elif what == "renamed" and isinstance(holder, dict):
            holder[rng.choice(NAMES)] = holder.pop(key)
        else:
            del holder[key]
    return json.dumps(value).encode("utf-8", "surrogatepass")


class Stray:
    """A pickle that writes a file when it is read."""

    def __reduce__(self) -> Any:
        return (open, ("unpickled", "w"))


HEADERS = (
    *(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({size},), }}" for size in (-1, 2**40, 2**63, "'x'")),
    "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
    "{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': (2, 2), }",
    "__import__('os').getcwd()",
)
"""Headers of arrays that claim what the file does not have."""


def broken_arrays(rng: Random, data: bytes) -> bytes:
    """An .npz file with other arrays, or other bytes."""
    with np.load(io.BytesIO(data)) as stored:
        arrays = dict(stored)
    if not arrays or rng.random() < 0.2:
        return broken_bytes(rng, data)
    name = rng.choice(sorted(arrays))
    old = arrays.pop(name)
    new = rng.choice(("type", "shape", "objects", "missing", "renamed", "header", "pickle", "bomb", "second"))
    member = b""
    if new == "type":
        kinds = ("float16", "float64", "uint64", "bool", "complex64", "U3", "S2", "M8[s]", ">f4", "i4,f8", "V3")
        arrays[name] = np.zeros(old.shape, rng.choice(kinds))
    elif new == "shape":
        arrays[name] = rng.choice((old.reshape(-1), old[..., None], np.zeros((3, 0, 2), old.dtype), old.ravel()[:1]))
    elif new == "objects":
        arrays[name] = np.array([{"x": 1}, None, [1]], object)
    elif new == "renamed":
        arrays[rng.choice((f"{name}@bfloat16", f"{name}@int4", "@bfloat16", "../escaped", f"{name}@"))] = old
    elif new == "header":
        header = rng.choice(HEADERS).encode()
        member = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(16)
    elif new == "pickle":
        member = pickle.dumps(Stray())
    elif new == "bomb":
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % 2**26
        member = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(2**28)
    content = io.BytesIO()
    np.savez(content, **arrays)
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as archive:
        if member:
            archive.writestr(f"{name}.npy", member)
        elif new == "second":
            archive.writestr(rng.choice(("../escaped.npy", "/escaped.npy", "x.txt", "")), b"text")
    return content.getvalue()


BREAKERS = {".onnx": broken_model, ".json": broken_json, ".npz": broken_arrays}


def break_file(rng: Random, folder: Path) -> None:
    path = rng.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    if rng.random() < 0.1:
        path.unlink()
        return
    path.write_bytes(BREAKERS.get(path.suffix, broken_bytes)(rng, path.read_bytes()))


def copy_finding(name: str, folder: Path) -> Path:
    """A stored finding, as one of the compiler ``numpy``, which runs its programs fastest."""
    shutil.copytree(ROOT / "tests/findings" / name, folder, ignore=shutil.ignore_patterns("repro.py", "report.md"))
    record = json.loads((folder / "finding.json").read_text("utf-8"))
    record["versions"] = {"numpy": "1.0", **record["versions"]}
    record["conditions"] = {**record.get("conditions", {}), "python": sys.executable, "timeout_s": 5.0}
    (folder / "finding.json").write_text(json.dumps({**record, "compiler": "numpy"}, indent=2), "utf-8")
    return folder


FINDINGS = sorted(path.name for path in (ROOT / "tests/findings").iterdir() if path.is_dir())


# --- the tests --------------------------------------------------------------------------------------------------------


@mutants(400)
def test_models(tmp_path: Path, rng: Random) -> None:
    around = Field(tmp_path)
    path = around.mutant / "model.onnx"
    path.write_bytes(broken_model(rng, rng.choice(MODELS)))
    around.answers("metrics", around.mutant)
    around.answers("rewrite", path, *ONE_RULE, "--out", around.out / "rewritten")


@mutants(60)
def test_models_as_seeds(tmp_path: Path, rng: Random) -> None:
    around = Field(tmp_path)
    (around.mutant / "model.onnx").write_bytes(broken_model(rng, rng.choice(MODELS)))
    fuzz(around, around.mutant / "model.onnx")


@mutants(150)
def test_findings(tmp_path: Path, rng: Random) -> None:
    around = Field(tmp_path)
    finding = copy_finding(rng.choice(FINDINGS), around.mutant / "findings" / "found")
    break_file(rng, finding)
    around.answers("known", "add", finding, "--url", URL, "--file", around.out / "known.toml")
    around.answers("suite", "add", finding, around.out / "suite", "--url", URL)
    around.answers("replay", around.mutant)
    around.answers("reduce", finding, "--out", around.out / "reduced", "--time", "2s")
    around.answers("bisect", finding, "--time", "2s", changes="findings")


@mutants(60)
def test_suites(tmp_path: Path, rng: Random) -> None:
    around = Field(tmp_path)
    suite = around.mutant / "suite"
    shutil.copytree(ROOT / "artifacts/suite-sample/case-00000", suite / "case-00000")
    record = {"cases": 1, "formats": ["torch", "onnx", "tensorflow"], "seed": 0}
    (suite / "suite.json").write_text(json.dumps(record), "utf-8")
    xfail = f'[[xfail]]\ncase = "case-00000"\ncompiler = "numpy"\nversions = ">=1.20"\nurl = "{URL}"\n'
    (suite / "xfail.toml").write_text(xfail, "utf-8")
    finding = copy_finding(FINDINGS[0], around.mutant / "found")
    break_file(rng, suite)
    around.answers("suite", "run", suite, "--compiler", "numpy", "--timeout", 5, "--workers", 1)
    around.answers("suite", "add", finding, suite, "--url", URL, changes="suite")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    model = save_model(folder / "seed.onnx")
    done = run(
        "fuzz", "--compiler", "numpy", "-n", 3, "--seeds", model, *ONE_RULE, "--workers", 1, "--out", folder / "c"
    )
    assert done.returncode == 0, done.stderr
    copy_finding(FINDINGS[0], folder / "c" / "findings" / "000000-0-mismatch")
    return folder / "c"


@mutants(60)
def test_campaigns(tmp_path: Path, campaign: Path, rng: Random) -> None:
    around = Field(tmp_path)
    copy = around.mutant / "campaign"
    shutil.copytree(campaign, copy)
    if rng.random() < 0.5:
        (copy / "campaign.sqlite").write_bytes(broken_bytes(rng, (copy / "campaign.sqlite").read_bytes()))
    else:
        break_file(rng, copy)
    around.answers("known", "check", copy)
    around.answers("replay", copy)
    around.answers("report", copy, changes="campaign")
    around.answers("fuzz", "--resume", copy, "-n", 4, changes="campaign")
