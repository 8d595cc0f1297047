"""Check an exported Torch program (``.pt2``) before Torch loads it, and write a new archive.

``torch.export.load`` runs code that a file names: it unpickles objects and sparse tensors, evaluates the text of
symbolic sizes, loads compiled libraries, and looks functions up by name. This module refuses all of these. It then
writes the checked entries to a new archive for Torch, so that both read the same.
"""

from __future__ import annotations

import ast
import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from polyjuice.frameworks.aten_calls import FILES
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import BYTES, TEXT, TooLarge, read_limits
from polyjuice.frameworks.onnx.file import bounded_bytes

_FOLDERS = ("data/weights/", "data/constants/", "data/sample_inputs/")
"""The folders of an archive that may hold data. Others hold compiled code."""

_PICKLED = re.compile(r".*\.pt|serialized_(state_dict|constants)\.json", re.DOTALL)
"""The entries that are pickles of tensors. The names in ``.json`` are those of old versions."""

_OBJECTS = ("custom_obj_", "opaque_obj_")
"""The beginnings of the names of objects that Torch unpickles."""

_OPERATOR = re.compile(
    r"torch\.ops\.(aten|prim|prims|quantized|quantized_decomposed|torchvision|higher_order)\.\w+(\.\w+)?"
    r"|(_operator|math)\.[a-z]\w*|torch\.sym_\w+"
)
"""The operators that a program may call: those of Torch that only compute."""

_NAME, _PATH, _IDENTIFIER = re.compile(r"[\w.]*"), re.compile(r"[\w.@/-]*"), re.compile(r"[A-Za-z_]\w*")
"""The names of values, those of weights and modules, and those of parameters. Torch writes all into Python source."""

_CONTAINERS = frozenset(("builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict", None))
"""The containers of inputs and outputs. Torch imports what others name."""

_FUNCTIONS = frozenset(
    re.findall(
        r"\w+",
        """
        Abs Add And BitwiseFn_bitwise_and BitwiseFn_bitwise_or CeilDiv CeilToInt CleanDiv Equality Eq Float FloatPow
        FloatTrueDiv FloorDiv FloorToInt Ge GreaterThan Gt Identity IntTrueDiv Integer
        IsNonOverlappingAndDenseIndicator LShift Le LessThan Lt Max Min Mod ModularIndexing Mul Ne Not Or Pow
        PowByNatural PythonMod RShift Rational RoundDecimal RoundToInt StrictGreaterThan StrictLessThan Symbol ToFloat
        TruncToFloat TruncToInt Unequality Where ceiling floor
        """,
    )
)
"""The functions in the text of a symbolic size."""

_NODES = (
    *(ast.Expression, ast.Call, ast.Name, ast.Load, ast.keyword, ast.UnaryOp, ast.USub, ast.Not, ast.BinOp, ast.Add),
    *(ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE),
    *(ast.Gt, ast.GtE),
)
"""The syntax in the text of a symbolic size, apart from constants."""


def checked(path: str | Path) -> tuple[bytes, Mapping[str, bytes]]:
    """Return the archive in a file, checked and written again, and its pickles by name. Raises FormatError.

    Only Torch's loader of bare tensors may read the pickles.
    """
    data = bounded_bytes(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            contents = {entry.filename: archive.read(entry) for entry in _entries(archive, str(path))}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: not an exported Torch program ({' '.join(str(error).split())})") from None
    pickles = {}
    try:
        for name, content in contents.items():
            entry = _without_root(name, contents)
            if entry.startswith("data/") and not entry.startswith(_FOLDERS):
                raise FormatError(f"the archive holds {entry!r}; export the program without compiled code")
            if entry.rpartition("/")[2].startswith(_OBJECTS):
                raise FormatError(f"the constant {entry!r} is a pickled object, which is not loaded")
            if _PICKLED.fullmatch(entry.rpartition("/")[2]):
                pickles[entry] = content
            elif entry.endswith(".json"):
                _check_json(content, len(data))
    except FormatError as error:
        raise type(error)(f"{path}: {error}") from None
    anew = io.BytesIO()
    with zipfile.ZipFile(anew, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return anew.getvalue(), pickles


def _entries(archive: zipfile.ZipFile, where: str) -> list[zipfile.ZipInfo]:
    """The entries of an archive. ``zipfile`` reads no more of each than the size that it claims.

    Raises FormatError where they are too large, some are compressed, or two have one name.
    """
    entries = archive.infolist()
    if sum(entry.file_size for entry in entries) > BYTES:
        raise TooLarge(f"{where}: its content has more than {BYTES:,} bytes, which is the most that Polyjuice reads")
    if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
        raise FormatError(f"{where}: its content is compressed, which torch.export.save does not do; export it again")
    if len({entry.filename for entry in entries}) < len(entries):
        raise FormatError(f"{where}: two of its entries have one name")
    return entries


def _without_root(name: str, contents: Mapping[str, bytes]) -> str:
    """The name of an entry without the archive's own folder, if it has one."""
    root = name.partition("/")[0] + "/"
    return name.removeprefix(root) if all(other.startswith(root) for other in contents) else name


def _check_json(content: bytes, size: int) -> None:
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not an exported Torch program ({' '.join(str(error).split())})") from None
    nodes, most = 0, read_limits().nodes
    for one in _objects(whole):
        nodes += "target" in one and "inputs" in one
        if nodes > most:
            raise TooLarge(f"the program has more than {most:,} nodes; make it smaller, or raise --max-nodes")
        _check_object(one, size)


def _objects(whole: Any) -> Iterator[Mapping[str, Any]]:
    left = [whole]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield one
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)


def _check_object(one: Mapping[str, Any], size: int) -> None:
    if any(len(key) > TEXT for key in one):
        raise TooLarge(f"a name has more than {TEXT:,} characters")
    if "target" in one and "inputs" in one:
        _check_operator(one["target"])
    _check_names(one)
    for name in ("in_spec", "out_spec"):
        if isinstance(spec := one.get(name), str) and spec:
            _check_containers(spec)
    if "expr_str" in one:
        _check_expression(one["expr_str"])
    if one.get("use_pickle") not in (None, False):
        raise FormatError("a weight or constant is a pickle, which Polyjuice does not load; make it a dense tensor")
    if isinstance(path := one.get("path_name"), str) and path.startswith(_OBJECTS):
        raise FormatError(f"the constant {path[:TEXT]!r} is a pickled object, which is not loaded")
    if isinstance(sizes := one.get("sizes"), list):
        known = [each["as_int"] for each in sizes if isinstance(each, dict) and isinstance(each.get("as_int"), int)]
        most = read_limits().elements
        if math.prod(max(each, 1) for each in known) > max(most, size):
            raise TooLarge(
                f"a tensor has the sizes {known}, which is more than {most:,} elements; "
                "make its dimensions smaller, or raise --max-elements"
            )


def _check_names(one: Mapping[str, Any]) -> None:
    """Raise FormatError for a name that is more than a name."""
    pairs = [(value, _NAME) for key, value in one.items() if key in ("name", "as_name")]
    pairs += [
        (value, _PATH) for key, value in one.items() if key == "fqn" or (key.endswith("_name") and key != "as_name")
    ]
    pairs += [(value, _IDENTIFIER) for value in one.get("forward_arg_names") or ()]
    for key in ("config", "tensor_values", "sym_int_values", "sym_float_values", "sym_bool_values"):
        if isinstance(held := one.get(key), dict):
            pairs += [(name, _PATH) for name in held]
    for value, allowed in pairs:
        if value is not None and not (isinstance(value, str) and allowed.fullmatch(value)):
            raise FormatError(f"the name {str(value)[:TEXT]!r} has characters that a name of Torch has not")


def _check_containers(text: str) -> None:
    """Raise FormatError for inputs or outputs in containers other than tuples, lists and dictionaries of names."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError("the structure of its inputs or outputs cannot be read") from None
    for one in _objects(whole):
        if "type" in one and one["type"] not in _CONTAINERS:
            raise FormatError(f"its inputs or outputs are in {str(one['type'])[:TEXT]!r}; use tuples, lists and dicts")
        try:
            keys = json.loads(one["context"]) if isinstance(one.get("context"), str) else one.get("context")
        except ValueError:
            keys = one["context"]
        for key in keys if isinstance(keys, list) else [keys]:
            if not (key is None or isinstance(key, int) or (isinstance(key, str) and _NAME.fullmatch(key))):
                raise FormatError(f"a key of its inputs or outputs is {str(key)[:TEXT]!r}, which is no name")


def _check_operator(target: Any) -> None:
    if not isinstance(target, str) or not _OPERATOR.fullmatch(target):
        raise FormatError(f"the program calls {str(target)[:TEXT]!r}; only operators of Torch are loaded from a file")
    if target.split(".")[3:4] and target.split(".")[3] in FILES:
        raise FormatError(f"the program calls {target!r}, which opens a file")


def _check_expression(text: Any) -> None:
    """Raise FormatError for a symbolic size that is more than arithmetic: Torch evaluates it as Python code."""
    refused = FormatError(f"the symbolic size {str(text)[:TEXT]!r} is no arithmetic expression")
    if not isinstance(text, str) or len(text) > 10 * TEXT:
        raise refused
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise refused from None
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if any(not isinstance(function, ast.Name) or function.id not in _FUNCTIONS for function in called):
        raise refused
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            plain = isinstance(node.value, int | float) or re.fullmatch(r"[\w.+-]*", str(node.value))
            if not plain or isinstance(node.value, bytes):
                raise refused
        elif not isinstance(node, _NODES):
            raise refused
