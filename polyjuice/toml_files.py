"""TOML files that keep their formatting where Polyjuice changes them."""

from __future__ import annotations

from pathlib import Path

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError

from polyjuice.stored_files import StoredError


def document(path: Path) -> TOMLDocument:
    """The content of a file, or a new document where there is none. Raises StoredError if it cannot be changed."""
    try:
        return tomlkit.parse(path.read_text(encoding="utf-8")) if path.is_file() else tomlkit.document()
    except TOMLKitError as error:
        raise StoredError(f"{path} cannot be changed: {error}") from None
