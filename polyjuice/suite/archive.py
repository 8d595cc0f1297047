"""Archives of arrays as NumPy reads them, of which equal arrays give equal bytes: the zip format stores the time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from polyjuice.ir import dtypes

_EPOCH = (1980, 1, 1, 0, 0, 0)


def save(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an ``.npz``; bfloat16 as the uint16 of its bits, under a name that ends in ``@bfloat16``."""
    with zipfile.ZipFile(path, "w") as file:
        for name, array in arrays.items():
            if array.dtype == dtypes.to_numpy("bfloat16"):
                name, array = f"{name}@bfloat16", array.view(np.uint16)
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(array, order="C"), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, content.getvalue())
