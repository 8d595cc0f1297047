"""The triggers in TensorFlow as seeds: ``--seeds in_tensorflow:NAME`` fuzzes the trigger of the entry ``xla/NAME``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))
import entry as entries


def __getattr__(name: str) -> Callable[[], Any]:
    """Return a callable for an entry, which returns its function, no positional arguments, and its inputs by name."""
    path = entries.FOLDER / "xla" / f"{name}.py"
    if not path.is_file():
        raise AttributeError(name)
    trigger = entries.load_trigger(path)
    return lambda: (trigger.tensorflow(), (), trigger.inputs())
