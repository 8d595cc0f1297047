"""Exported Torch programs that would run code when Torch loads them: each is refused before Torch sees it."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import TooLarge
from polyjuice.frameworks.torch.archive import checked

SIZE = "Mul(Integer(2), Symbol('s77', positive=True, integer=True))"


def archive(folder: Path, method: int = zipfile.ZIP_STORED, **changes: Any) -> Path:
    """An archive in the form of ``torch.export.save``, with changes to its only node and its tables."""
    node = {
        "target": "torch.ops.aten.relu.default",
        "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
        "outputs": [{"as_tensor": {"name": "relu"}}],
        "metadata": {},
        "name": "relu",
        **changes.get("node", {}),
    }
    tensor = {"dtype": 7, "sizes": changes.get("sizes", [{"as_int": 3}])}
    size = {"as_expr": {"expr_str": changes.get("size", SIZE), "hint": None}}
    program = {
        "graph_module": {"graph": {"nodes": [node], "tensor_values": {"x": tensor}, "sym_int_values": {"s": size}}},
        "in_spec": changes.get("spec", '[1, {"type": "builtins.tuple", "context": "null", "children_spec": []}]'),
    }
    weight = {"path_name": "weight_0", "is_param": True, "use_pickle": False, **changes.get("weight", {})}
    contents = {
        "models/model.json": json.dumps(program).encode(),
        "data/weights/model_weights_config.json": json.dumps({"config": {"layer.w": weight}}).encode(),
        "data/weights/weight_0": bytes(12),
        **changes.get("entries", {}),
    }
    with zipfile.ZipFile(folder / "model.pt2", "w", method) as made:
        for name, content in contents.items():
            made.writestr(f"model/{name}", content)
    return folder / "model.pt2"


def test_a_program_of_torch_is_taken_as_it_is(tmp_path: Path) -> None:
    path = archive(tmp_path)
    data, _ = checked(path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(io.BytesIO(data)) as new:
        assert {name: old.read(name) for name in old.namelist()} == {name: new.read(name) for name in new.namelist()}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"weight": {"use_pickle": True}}, "is a pickle"),
        ({"weight": {"path_name": "opaque_obj_0"}}, "pickled object"),
        ({"entries": {"data/constants/custom_obj_0": b"x"}}, "pickled object"),
        ({"entries": {"data/aotinductor/model/x.so": b"x"}}, "without compiled code"),
        ({"node": {"target": "torch.hub.load"}}, "only operators of Torch"),
        ({"node": {"target": "torch.ops.aten.from_file.default"}}, "opens a file"),
        ({"node": {"target": "torch.ops.own.op.default"}}, "only operators of Torch"),
        ({"node": {"name": "x): import os  #"}}, "has characters"),
        ({"size": "__import__('os').system('touch pwned')"}, "no arithmetic expression"),
        ({"size": "exec('1')"}, "no arithmetic expression"),
        ({"size": "(lambda: 1)()"}, "no arithmetic expression"),
        ({"size": "s0.__class__"}, "no arithmetic expression"),
        ({"size": "Symbol('x\\'+y')"}, "no arithmetic expression"),
        ({"spec": '[1, {"type": "collections.defaultdict", "context": "{}"}]'}, "use tuples, lists and dicts"),
        ({"spec": '[1, {"type": "builtins.dict", "context": "[\\"a\'b\\"]"}]'}, "is no name"),
        ({"sizes": [{"as_int": 2**40}]}, "--max-elements"),
        ({"method": zipfile.ZIP_DEFLATED}, "compressed"),
    ],
)
def test_what_would_run_code_is_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    path = archive(tmp_path, **changes)
    with pytest.raises(FormatError, match=words) as caught:
        checked(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_an_archive_that_claims_too_much_is_not_read(tmp_path: Path) -> None:
    path = archive(tmp_path)
    data = bytearray(path.read_bytes())
    place = data.rfind(b"PK\x01\x02")  # the entry of the last file in the directory: its sizes
    data[place + 20 : place + 28] = (2**31).to_bytes(4, "little") * 2
    path.write_bytes(data)
    with pytest.raises(TooLarge, match="more than 2,147,483,647 bytes"):
        checked(path)


@pytest.mark.parametrize("damage", [lambda data: data[:-30], lambda data: b"no archive", lambda data: b""])
def test_a_broken_archive_is_one_line(tmp_path: Path, damage: Any) -> None:
    path = archive(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(FormatError, match="not an exported Torch program") as caught:
        checked(path)
    assert "\n" not in str(caught.value)


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("pwned",)


def test_a_pickle_of_example_inputs_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from polyjuice.frameworks.torch import export as torch_export

    monkeypatch.chdir(tmp_path)
    path = archive(tmp_path, entries={"data/sample_inputs/model.pt": pickle.dumps(Evil())})
    with pytest.raises(FormatError, match="holds more than tensors"):
        torch_export.load(path)
    assert not (tmp_path / "pwned").exists()


def test_a_torch_that_would_run_code_of_an_archive_loads_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from polyjuice.frameworks.torch import export as torch_export

    path = archive(tmp_path)
    monkeypatch.setattr(torch, "__version__", type(torch.__version__)("2.5.1+cpu"))
    with pytest.raises(FormatError) as caught:
        torch_export.load(path)
    assert str(caught.value).startswith(f"{path}: Torch 2.5.1+cpu may run code")
    assert "install Torch 2.6" in str(caught.value)
    assert "\n" not in str(caught.value)
