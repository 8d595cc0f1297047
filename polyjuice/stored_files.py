"""Read JSON and ``.npz`` files of a finding, a suite or a campaign, which may be broken or come from a stranger.

A file that is not what Polyjuice writes gives one :class:`StoredError`, before anything large is allocated. Nothing is
unpickled.
"""

from __future__ import annotations

import importlib.metadata
import json
import lzma
import math
import struct
import tokenize
import types
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError

from polyjuice.ir import dtypes, stored_type, unpacked
from polyjuice.wording import visible

FORM = 1
"""The form of campaigns and findings. It changes when stored ones can no longer be read."""

LARGEST_TEXT = 64 * 2**20
"""The most bytes of a JSON file."""

LARGEST_ARRAYS = 2**31
"""The most bytes of all arrays of a file together, as they are in memory."""

MOST_ARRAYS = 100_000
"""The most arrays of a file."""

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    tokenize.TokenError,
    struct.error,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,  # also NotImplementedError: an unknown compression
    SyntaxError,
    TypeError,
    ValueError,
)
"""The errors that NumPy and ``zipfile`` raise on broken archives."""

_SHOWN = 60


class StoredError(ValueError):
    """A stored file is not what Polyjuice writes: one line with the file, the place in it, and what is wrong."""


def this_version() -> str:
    """The version of Polyjuice."""
    return importlib.metadata.version("polyjuice-fuzzer")


def refusal(form: object, version: object) -> str:
    """Why a campaign or a finding of a form, which a version of Polyjuice wrote, cannot be read; "" if it can."""
    if str(form) == str(FORM):
        return ""
    return f"Polyjuice {version or '0.2.0 or an earlier version'} wrote it in another form: open it with that version"


def read_json(path: Path, hint: Any = Mapping[str, Any]) -> Any:
    """The JSON value of a file, which must have the type that ``hint`` describes (see :func:`mismatch`).

    Raises StoredError, also where there is no file.
    """
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise StoredError(f"{path} has more than {LARGEST_TEXT:,} bytes, which is the most that is read")
        value = json.loads(path.read_text(encoding="utf-8"))
        problem = mismatch(value, hint)
    except OSError as error:
        raise StoredError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise StoredError(f"{path} is no text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise StoredError(f"{path} is no JSON: {error}") from None
    except RecursionError:
        raise StoredError(f"{path} is no JSON that can be read: its values are nested too deeply") from None
    except StoredError:
        raise
    except ValueError:  # a number of thousands of digits
        raise StoredError(f"{path} has a number that is too large") from None
    if problem:
        raise StoredError(f"{path}: {problem}")
    return value


def mismatch(value: Any, hint: Any, place: str = "") -> str:
    """How a JSON value differs from a type, in words; "" where it does not.

    ``hint`` is Any, None, bool, int, float, str, a union, ``Mapping[str, X]``, ``Sequence[X]``, ``tuple[X, ...]``, a
    TypedDict, or a dataclass as an object of its fields. Texts must be Unicode and integers must have at most 64 bits,
    everywhere.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if any(not mismatch(value, one, place) for one in arguments):
            return ""
        return mismatch(value, Any, place) or _wrong(value, place, "of another type")
    if origin is Mapping or (hint is Any and isinstance(value, dict)):
        return _in_object(value, {}, arguments[1] if arguments else Any, place)
    if origin in (Sequence, tuple) or (hint is Any and isinstance(value, list)):
        if not isinstance(value, list):
            return _wrong(value, place, "a list")
        inner = arguments[0] if arguments else Any
        return next(filter(None, (mismatch(one, inner, f"{place}[{i}]") for i, one in enumerate(value))), "")
    if is_typeddict(hint) or is_dataclass(hint):
        declared, needed = _fields(hint)
        missing = (f"{place or 'it'} has no {name!r}" for name in declared if name in needed and name not in value)
        return _in_object(value, declared, Any, place) or next(missing, "")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return _wrong(value, place, "a number of at most 64 bits")
    if isinstance(value, str) and not _is_unicode(value):
        return _wrong(value, place, "a text of Unicode characters")
    if hint is Any:
        return ""
    if hint in (None, types.NoneType):
        return "" if value is None else _wrong(value, place, "null")
    kinds: Mapping[Any, tuple[tuple[type, ...], str]] = {
        bool: ((bool,), "true or false"),
        int: ((int,), "an integer"),
        float: ((int, float), "a number"),
        str: ((str,), "a text"),
    }
    allowed, name = kinds[hint]
    is_it = isinstance(value, allowed) and (hint is bool or not isinstance(value, bool))
    return "" if is_it else _wrong(value, place, name)


def _in_object(value: Any, declared: Mapping[str, Any], others: Any, place: str) -> str:
    """The mismatch of an object whose fields have the ``declared`` types, and ``others`` the type of the rest."""
    if not isinstance(value, dict):
        return _wrong(value, place, "an object")
    for key, one in value.items():
        if not _is_unicode(key):
            return _wrong(key, place, "an object whose names are Unicode")
        if problem := mismatch(one, declared.get(key, others), _inside(place, key)):
            return problem
    return ""


@cache
def _fields(hint: Any) -> tuple[Mapping[str, Any], Collection[str]]:
    """The types of the fields that a TypedDict or a dataclass declares, and the fields that must be there."""
    hints = get_type_hints(hint, include_extras=True)
    if not is_typeddict(hint):
        return hints, {f.name for f in fields(hint) if f.default is MISSING and f.default_factory is MISSING}
    optional = {name for name, one in hints.items() if not hint.__total__ or get_origin(one) is NotRequired}
    declared = {name: get_args(one)[0] if get_origin(one) is NotRequired else one for name, one in hints.items()}
    return declared, hints.keys() - optional


def _inside(place: str, key: str) -> str:
    key = visible(key, kept="")[:_SHOWN]
    return f"{place}.{key}" if place else key


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _wrong(value: Any, place: str, wanted: str) -> str:
    text = ascii(value) if not isinstance(value, int) or abs(value) < 10**_SHOWN else "a huge number"
    return f"{place or 'it'} must be {wanted}, and is {text[:_SHOWN]}{'...' if len(text) > _SHOWN else ''}"


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an ``.npz`` by name, in the element types of Polyjuice (see :func:`polyjuice.ir.packed`).

    Raises StoredError.
    """
    return unpacked(read_stored_arrays(path))


def read_stored_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an ``.npz`` as the file has them: types that NumPy lacks as bits. Raises StoredError."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check_members(members)
            arrays = {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
    except StoredError as error:
        raise StoredError(f"{path}: {error}") from None
    except FileNotFoundError:
        raise StoredError(f"{path} is missing") from None
    except _BROKEN as error:
        reason = " ".join(str(error).split())
        raise StoredError(f"{path} holds no arrays that can be read ({type(error).__name__}: {reason[:200]})") from None
    return arrays


def _check_members(members: Sequence[zipfile.ZipInfo]) -> None:
    """Raise StoredError where an archive holds something else than arrays, or more than is read."""
    names = [member.filename for member in members]
    if len(names) > MOST_ARRAYS:
        raise StoredError(f"it holds {len(names):,} arrays, and at most {MOST_ARRAYS:,} are read")
    if foreign := next((name for name in names if not name.endswith(".npy") or not name.isprintable()), None):
        raise StoredError(f"its member {foreign[:_SHOWN]!a} is no array")
    if len(set(names)) < len(names):
        raise StoredError("it holds two arrays of one name")
    total = sum(member.file_size for member in members)
    if total > LARGEST_ARRAYS:
        raise StoredError(f"its arrays have {total:,} bytes, and at most {LARGEST_ARRAYS:,} are read")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """Check the header of one array, then read its elements. Raises StoredError, and ``_BROKEN``."""
    name = member.filename.removesuffix(".npy")
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = headers[version](stream)
    if dtype.hasobject:
        raise StoredError(f"the array {name!r} holds objects, and pickles are never read")
    _, marked, mark = name.rpartition("@")
    bits = stored_type(mark) if marked else None
    if (bits is not None and dtype != bits) or all(dtype != dtypes.to_numpy(known) for known in dtypes.EVERY):
        raise StoredError(f"the array {name!r} has the element type {dtype}, which is not what is stored")
    if any(size < 0 for size in shape) or math.prod(shape) * dtype.itemsize > member.file_size:
        raise StoredError(f"the array {name!r} claims the shape {shape}, and the file holds less")
    with archive.open(member) as stream:
        array: np.ndarray = np.lib.format.read_array(stream, allow_pickle=False)
    return array


def write_whole(path: Path, text: str) -> None:
    """Write a text file at once: who reads it meanwhile, or after a kill, sees the old content or the new one."""
    part = path.with_name(f".{path.name}.new")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def toml_document(path: Path) -> TOMLDocument:
    """A TOML file's content with its formatting, or a new document. Raises StoredError if it cannot be changed."""
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8")) if path.is_file() else tomlkit.document()
    except TOMLKitError as error:
        raise StoredError(f"{path} cannot be changed: {error}") from None
