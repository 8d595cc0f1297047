"""The whole models, findings, suites and campaigns that mutants begin with."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from onnx import ModelProto, parser

ROOT = Path(__file__).resolve().parents[2]

_LARGEST = 12_000
"""The most bytes of a stored model that mutants begin with: the commands run each of them many times."""

TEXTS = (
    """<ir_version: 9, opset_import: ["" : 18]>
    small (float[3,4] x, float[3,4] w) => (float[3,4] y) { s = Add(x, w) r = Relu(s) y = Mul(r, w) }""",
    """<ir_version: 8, opset_import: ["" : 13]>
    sizes (float[N,4] x, float[M,4] w) => (float[K,4] y) { y = Concat<axis: int = 0>(x, w) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    reshaped (float[2,6] x) => (float[a,b] y)
    <int64[2] shape = {3, 4}, float[1] one = {1.0}> { r = Reshape(x, shape) y = Add(r, one) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    branches (float[2] x, bool[1] c) => (float[2] y) {
      y = If (c) <then_branch = t () => (float[2] a) { a = Neg(x) },
                  else_branch = e () => (float[2] b) { b = Abs(x) }> }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    loop (float[2] x) => (float[2] y) <int64 trips = {3}, bool go = {1}> {
      y = Loop (trips, go, x)
        <body = b (int64 i, bool c, float[2] v) => (bool d, float[2] w) { d = Identity(c) w = Add(v, x) }> }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    conv (float[1,2,5,5] x) => (float[1,2,a,b] y) <float[2,2,1,1] w = {1.0, 2.0, 3.0, 4.0}> {
      c = Conv<kernel_shape: ints = [1,1], pads: ints = [0,0,0,0], strides: ints = [1,1]>(x, w)
      y = MaxPool<kernel_shape: ints = [2,2], ceil_mode: int = 1>(c) }""",
    """<ir_version: 9, opset_import: ["" : 18, "own" : 1]>
    called (float[2,3] x) => (float[2,3] y) { m = own.f<k: float = 2.0>(x) y = own.f<k: float = 3.0>(m) }
    <domain: "own", opset_import: ["" : 18]>
    f <k> (a) => (b) { c = Constant<value_float: float = @k>() b = Mul(a, c) }""",
    """<ir_version: 7, opset_import: ["" : 11]>
    older (float[2,3] x) => (float[2,3] y) { s = Softmax<axis: int = 0>(x) u = Unsqueeze<axes: ints = [0]>(s)
      v = Squeeze<axes: ints = [0]>(u) y = Dropout<ratio: float = 0.5>(v) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    folded (float[3,4] x) => (float[c,d] y) { s = Shape(x) z = ConstantOfShape(s) e = Expand(x, s) y = Add(z, e) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    indices (float[4,3] x, int64[2] i) => (float[2,3] y, float[4,2] v, int64[4,2] p) <int64[1] k = {2}> {
      y = Gather<axis: int = 0>(x, i) v, p = TopK<axis: int = 1, largest: int = 1>(x, k) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    quantized (float[2,3] x) => (float[2,3] y) <float s = {0.5}, uint8 z = {3}> {
      q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    pieces (float[6,2] x) => (float[a,2] y, float[b,2] z)
      <int64[2] parts = {2, 4}, int64[1] one = {1}, int64[1] end = {9},
      int64[1] axis = {0}> { u, v = Split<axis: int = 0>(x, parts)
      y = Slice(u, one, end, axis) z = Transpose<perm: ints = [0,1]>(v) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    sequences (float[2] x) => (float[2] y) <int64 zero = {0}>
      { s = SequenceConstruct(x, x) y = SequenceAt(s, zero) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    summed (float[2,3] a, float[3,4] b) => (float[2,4] y) { m = Einsum<equation: string = "ij,jk->ik">(a, b)
      c = Cast<to: int = 11>(m) d = Cast<to: int = 1>(c) r = ReduceSum<keepdims: int = 1>(d) y = Add(d, r) }""",
    """<ir_version: 9, opset_import: ["" : 18]>
    scanned (float[2] h, float[3,2] x) => (float[2] y, float[3,2] z) {
      y, z = Scan<num_scan_inputs: int = 1,
        body = b (float[2] s, float[2] e) => (float[2] t, float[2] o) { t = Add(s, e) o = Neg(t) }>(h, x) }""",
    """<ir_version: 10, opset_import: ["" : 21]>
    narrow (int4[4] x, bfloat16[4] w) => (bfloat16[4] y) { c = Cast<to: int = 16>(x) y = Mul(c, w) }""",
)
"""Small models: sizes with names, subgraphs, functions, old opsets, folding, sequences, narrow element types."""


@cache
def models() -> tuple[bytes, ...]:
    """Serialized models: those of TEXTS, and small ones of stored findings."""
    written = [parser.parse_model(text).SerializeToString(deterministic=True) for text in TEXTS]
    folders = (ROOT / "artifacts" / "bugs", ROOT / "tests" / "findings")
    stored = [path for folder in folders for path in sorted(folder.rglob("*.onnx")) if path.stat().st_size <= _LARGEST]
    return (*written, *(path.read_bytes() for path in stored))


def model(number: int) -> ModelProto:
    return ModelProto.FromString(models()[number])


@cache
def findings() -> tuple[Path, ...]:
    """The folders of stored findings in ONNX Runtime, without large models."""
    folders = [
        *sorted((ROOT / "tests" / "findings").glob("*/finding.json")),
        *sorted((ROOT / "artifacts" / "bugs").glob("*/finding/finding.json")),
    ]
    whole = [path.parent for path in folders if json.loads(path.read_text("utf-8"))["compiler"] == "onnxruntime"]
    return tuple(f for f in whole if max(p.stat().st_size for p in f.glob("*.onnx")) <= _LARGEST)


def copy_finding(number: int, folder: Path, compiler: str) -> None:
    """Copy a finding, as one of a compiler in this interpreter. ``numpy`` runs its programs fastest."""
    folder.mkdir(parents=True)
    for path in sorted(findings()[number].iterdir()):
        if path.suffix in (".onnx", ".json", ".npz", ".py") and path.name != "repro.py":
            shutil.copyfile(path, folder / path.name)
    file = folder / "finding.json"
    record: dict[str, Any] = json.loads(file.read_text("utf-8"))
    record["compiler"] = compiler
    record["versions"] = {compiler: "1.0", **record["versions"]}
    record["conditions"] = {**record.get("conditions", {}), "python": sys.executable, "timeout_s": 5.0}
    file.write_text(json.dumps(record, indent=2), "utf-8")


SUITE = ROOT / "artifacts" / "suite-sample"


def copy_suite(folder: Path, cases: int = 2) -> None:
    """Copy the first cases of the stored suite, or make a suite of them where they are only a sample."""
    folder.mkdir(parents=True)
    for case in sorted(SUITE.glob("case-*"))[:cases]:
        shutil.copytree(case, folder / case.name)
    (folder / "suite.json").write_text(
        json.dumps({"cases": cases, "formats": ["torch", "onnx", "tensorflow"], "seed": 0}), "utf-8"
    )
    entry = (
        '[[xfail]]\ncase = "case-00000"\ncompiler = "onnxruntime"\nversions = ">=1.20"\nurl = "https://example.com/1"\n'
    )
    (folder / "xfail.toml").write_text(entry, "utf-8")


_EXPORT = """
import sys
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("scale", torch.arange(3.0))

    def forward(self, x):
        return torch.relu(self.linear(x)) * self.scale

torch.manual_seed(0)
torch.export.save(torch.export.export(Model(), (torch.ones(2, 4),)), sys.argv[1])
"""


RULE = "relu-as-half-sum"
"""The only rule of the campaign."""


def made(folder: Path) -> None:
    """Make what mutants begin with and what no file holds: a ``.pt2`` file, and the folder of a campaign."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "model.pt2").is_file():
        subprocess.run([sys.executable, "-c", _EXPORT, folder / "model.pt2"], check=True, capture_output=True)
    if not (folder / "campaign" / "campaign.sqlite").is_file():
        shutil.rmtree(folder / "campaign", ignore_errors=True)
        (folder / "seed.onnx").write_bytes(models()[0])
        arguments = [
            "--compiler",
            "numpy",
            "-n",
            "3",
            "--seeds",
            folder / "seed.onnx",
            "--only-rule",
            RULE,
        ]
        command = [
            sys.executable,
            "-m",
            "polyjuice",
            "fuzz",
            *arguments,
            "--workers",
            "1",
            "--out",
            folder / "campaign",
        ]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
