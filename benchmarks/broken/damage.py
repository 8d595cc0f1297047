"""Damage files: bytes, JSON texts, ``.npz`` archives and ``.pt2`` archives."""

from __future__ import annotations

import io
import json
import pickle
import random
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.broken.wrong_values import INTEGERS, NAMES

Damage = Callable[[random.Random, bytes], bytes]


def flip(rng: random.Random, data: bytes) -> bytes:
    """Flip bits of one to eight bytes."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncate(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def insert(rng: random.Random, data: bytes) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.randbytes(rng.randint(1, 40)) + data[place:]


def swap(rng: random.Random, data: bytes) -> bytes:
    """Exchange two pieces."""
    a, b, c, d = sorted(rng.randrange(len(data) + 1) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def repeat(rng: random.Random, data: bytes) -> bytes:
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:b] + data[a:b] * rng.randint(1, 20) + data[b:]


def overwrite(rng: random.Random, data: bytes) -> bytes:
    """Overwrite a few bytes with the ends of types, where lengths and varints may be."""
    place = rng.randrange(len(data) + 1)
    piece = rng.choice((b"\xff" * 9 + b"\x01", b"\x00" * 8, b"\x80" * 10, b"\xff\xff\xff\x7f", b"\x7f"))
    return data[:place] + piece + data[place + len(piece) :]


def nothing(rng: random.Random, data: bytes) -> bytes:
    """Another file altogether: empty, text, or random bytes."""
    return rng.choice(
        (b"", b"\n", b"hello", b"\x00" * 100, rng.randbytes(rng.randint(1, 300)), b"PK\x03\x04", b"\x93NUMPY")
    )


def _field(number: int, data: bytes) -> bytes:
    """A protobuf field with a length."""
    length, size = b"", len(data)
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


def nested(rng: random.Random, data: bytes) -> bytes:
    """A model, with a second graph of conditions in each other, deeper than Protobuf reads."""
    graph = b""
    for _ in range(rng.choice((20, 33, 34, 100, 1000))):
        attribute = _field(1, b"then_branch") + _field(6, graph) + b"\xa0\x01\x05"
        node = _field(1, b"c") + _field(2, b"r") + _field(4, b"If") + _field(5, attribute)
        graph = _field(1, node)
    return data + _field(7, graph)


BYTES: Mapping[str, Damage] = {
    f.__name__: f for f in (flip, truncate, insert, swap, repeat, overwrite, nested, nothing)
}


# --- JSON ------------------------------------------------------------------------------------------------------------

VALUES: Sequence[Any] = (
    None,
    True,
    False,
    *INTEGERS,
    10**400,
    1.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    *NAMES,
    [],
    {},
    [None],
    [[]],
    {"x": 1},
    ["x"],
    [1, 2],
    "\ud800",
    "1",
)

Path = tuple[Any, ...]


def _paths(value: Any, path: Path = ()) -> list[Path]:
    """The places in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for key, inner in items for deeper in _paths(inner, (*path, key)))]


def _chosen(rng: random.Random, value: Any) -> tuple[Any, Any]:
    """A container and a key in it; places near the root are as likely as all deeper ones."""
    paths = [path for path in _paths(value) if path]
    if not paths:
        raise ValueError("the JSON value holds nothing")
    top = [path for path in paths if len(path) == 1]
    path = rng.choice(top if rng.random() < 0.5 else paths)
    for key in path[:-1]:
        value = value[key]
    return value, path[-1]


def json_value(rng: random.Random, value: Any) -> Any:
    """Another value, often of another type."""
    holder, key = _chosen(rng, value)
    holder[key] = rng.choice(VALUES)
    return value


def json_missing(rng: random.Random, value: Any) -> Any:
    holder, key = _chosen(rng, value)
    del holder[key]
    return value


def json_renamed(rng: random.Random, value: Any) -> Any:
    holder, key = _chosen(rng, value)
    if isinstance(holder, dict):
        holder[rng.choice(NAMES)] = holder.pop(key)
    else:
        holder.append(rng.choice(NAMES))
    return value


def json_nested(rng: random.Random, value: Any) -> Any:
    """A value one level deeper, or in place of what holds it."""
    holder, key = _chosen(rng, value)
    inner = holder[key]
    holder[key] = rng.choice(([inner], {"x": inner}, {key if isinstance(key, str) else "x": inner}, [[inner]]))
    return value


def json_exchanged(rng: random.Random, value: Any) -> Any:
    """Two values in each other's places."""
    (a, i), (b, j) = _chosen(rng, value), _chosen(rng, value)
    one, two = json.loads(json.dumps(a[i])), json.loads(json.dumps(b[j]))
    a[i], b[j] = two, one
    return value


def json_whole(rng: random.Random, value: Any) -> Any:
    return rng.choice(VALUES)


_JSON: Mapping[str, Callable[[random.Random, Any], Any]] = {
    f.__name__: f for f in (json_value, json_missing, json_renamed, json_nested, json_exchanged, json_whole)
}
_OF_TEXT = ("json_deep", "json_bytes", "json_latin")
JSON = (*_JSON, *_OF_TEXT)
_SHARES = (12, 6, 3, 4, 4, 1, 1, 3, 1)


def damaged_json(rng: random.Random, text: bytes) -> tuple[str, bytes]:
    """The name of a change, and the changed text."""
    (name,) = rng.choices(JSON, _SHARES)
    if name in _JSON:
        value = json.loads(text)
        for _ in range(rng.choice((1, 1, 2, 3))):
            if isinstance(value, dict | list) and value:
                value = _JSON[name](rng, value)
        return name, json.dumps(value).encode("utf-8", "surrogatepass")
    if name == "json_deep":
        deep = rng.choice((100, 1000, 100_000))
        return name, rng.choice((b"[" * deep + b"]" * deep, b"[" * deep, b'{"x":' * deep + b"1" + b"}" * deep))
    if name == "json_latin":
        return name, text.replace(b'"', b'"\xe9\xff', 3)
    return name, BYTES[rng.choice(sorted(BYTES))](rng, text)


# --- archives --------------------------------------------------------------------------------------------------------


def _npz(arrays: Mapping[str, Any], **how: Any) -> bytes:
    content = io.BytesIO()
    np.savez(content, **arrays, **how)
    return content.getvalue()


def _arrays(data: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(data)) as stored:
        return dict(stored)


def npz_dtype(rng: random.Random, data: bytes) -> bytes:
    """Arrays of another element type: a record, text, dates, complex numbers."""
    arrays = _arrays(data)
    name = rng.choice(sorted(arrays))
    kinds = ("float16", "float64", "int8", "uint64", "bool", "complex64", "U3", "S2", "M8[s]", ">f4", "i4,f8", "V3")
    old = arrays[name]
    new = np.zeros(old.shape, rng.choice(kinds))
    arrays[name] = new
    return _npz(arrays)


def npz_shape(rng: random.Random, data: bytes) -> bytes:
    arrays = _arrays(data)
    name = rng.choice(sorted(arrays))
    old = arrays[name]
    arrays[name] = rng.choice(
        (old.reshape(-1), old[..., None], np.zeros((0,), old.dtype), np.zeros((3, 0, 2), old.dtype), old.ravel()[:1])
    )
    return _npz(arrays)


def npz_object(rng: random.Random, data: bytes) -> bytes:
    """Object arrays, which are pickles."""
    arrays = _arrays(data)
    name = rng.choice(sorted(arrays))
    arrays[name] = np.array([{"x": 1}, None, [1]], object)
    return _npz(arrays)


class _Stray:
    """A pickle that writes a file when it is read."""

    def __reduce__(self) -> Any:
        return (open, ("unpickled", "w"))


def npz_pickle(rng: random.Random, data: bytes) -> bytes:
    """A member that is a pickle, which writes a file when it is read."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in sorted(_arrays(data)):
            archive.writestr(f"{name}.npy", pickle.dumps(_Stray()))
    return rng.choice((content.getvalue(), pickle.dumps(_Stray())))


def npz_missing(rng: random.Random, data: bytes) -> bytes:
    arrays = _arrays(data)
    del arrays[rng.choice(sorted(arrays))]
    return _npz(arrays)


def npz_renamed(rng: random.Random, data: bytes) -> bytes:
    arrays = _arrays(data)
    name = rng.choice(sorted(arrays))
    new = rng.choice((f"{name}@bfloat16", f"{name}@int4", "@bfloat16", "../escaped", "x", f"{name}@"))
    return _npz({new: arrays.pop(name), **arrays})


def npz_header(rng: random.Random, data: bytes) -> bytes:
    """A member whose header claims a shape or an element type that it has not."""
    claims = (
        f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rng.choice(INTEGERS)},), }}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': (2, 2), }",
        "{'descr': '<f4', 'shape': (1,), }",
        "[" * 500,
        "__import__('os').getcwd()",
        "",
        "{'descr': '<q9', 'shape': ()}",
    )
    text = rng.choice(claims).encode()
    member = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\x00" * 16
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in sorted(_arrays(data)):
            archive.writestr(f"{name}.npy", member)
    return content.getvalue()


def npz_bomb(rng: random.Random, data: bytes) -> bytes:
    """A few kilobytes that are hundreds of megabytes, or many members."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        size = rng.choice((2**26, 2**28))
        text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % (size // 4)
        for name in sorted(_arrays(data)):
            with archive.open(f"{name}.npy", "w") as member:
                member.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
                for _ in range(size // 2**20):
                    member.write(bytes(2**20))
            break
    return content.getvalue()


def npz_claimed(rng: random.Random, data: bytes) -> bytes:
    """The directory of the archive claims other sizes than the members have."""
    changed = bytearray(data)
    places = [i for i in range(len(data) - 4) if data[i : i + 4] in (b"PK\x01\x02", b"PK\x03\x04")]
    for place in places:
        at = place + (24 if changed[place + 2] == 1 else 22)
        changed[at : at + 4] = rng.choice((0, 1, 2**31, 2**32 - 1)).to_bytes(4, "little")
    return bytes(changed)


def npz_doubled(rng: random.Random, data: bytes) -> bytes:
    """Two members of one name, or members beside the arrays."""
    content = io.BytesIO(data)
    with zipfile.ZipFile(content, "a") as archive:
        name = rng.choice((archive.namelist()[0], "../escaped.npy", "/escaped.npy", "x.txt", ""))
        archive.writestr(zipfile.ZipInfo(name), rng.choice((b"", b"text", b"\x93NUMPY")))
    return content.getvalue()


NPZ: Mapping[str, Damage] = {
    f.__name__: f
    for f in (
        npz_dtype,
        npz_shape,
        npz_object,
        npz_pickle,
        npz_missing,
        npz_renamed,
        npz_header,
        npz_bomb,
        npz_claimed,
        npz_doubled,
    )
}


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zip(members: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return content.getvalue()


def pt2_missing(rng: random.Random, data: bytes) -> bytes:
    members = _members(data)
    del members[rng.choice(sorted(members))]
    return _zip(members)


def pt2_member(rng: random.Random, data: bytes) -> bytes:
    """Other bytes, or other JSON, in one member."""
    members = _members(data)
    name = rng.choice(sorted(members))
    if name.endswith(".json") and rng.random() < 0.8:
        members[name] = damaged_json(rng, members[name])[1]
    else:
        members[name] = BYTES[rng.choice(sorted(BYTES))](rng, members[name])
    return _zip(members)


def pt2_pickle(rng: random.Random, data: bytes) -> bytes:
    """A member that is a pickle, which writes a file when it is read."""
    members = _members(data)
    weights = [
        name for name in sorted(members) if name.endswith((".pt", ".pth")) or "weight" in name or "constant" in name
    ]
    members[rng.choice(weights or sorted(members))] = pickle.dumps(_Stray())
    return _zip(members)


def pt2_bomb(rng: random.Random, data: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in _members(data).items():
            archive.writestr(name, member + (bytes(2**28) if rng.random() < 0.3 else b""))
    return content.getvalue()


PT2: Mapping[str, Damage] = {f.__name__: f for f in (pt2_missing, pt2_member, pt2_pickle, pt2_bomb)}
