"""Archives of arrays that NumPy reads, with equal bytes for equal arrays (the zip format stores the time)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from polyjuice.ir import packed

_EPOCH = (1980, 1, 1, 0, 0, 0)


def save(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an ``.npz``; types that NumPy lacks are stored as bits (see :func:`polyjuice.ir.packed`)."""
    with zipfile.ZipFile(path, "w") as file:
        for name, array in packed(arrays).items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(array, order="C"), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, content.getvalue())
