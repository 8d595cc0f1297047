"""Models of a framework: the result of ``module:callable`` in Torch or TensorFlow, and exported Torch programs."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polyjuice.compilers import default
from polyjuice.frameworks import registry
from polyjuice.frameworks.errors import FormatError, refused
from polyjuice.frameworks.user_model import UserModel

_FRAMEWORKS = {"torch": "Torch", "tensorflow": "TensorFlow"}
"""The names of the frameworks by the module that they need."""

_SETTINGS = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
"""Settings that TensorFlow reads at import: log nothing, and compute as in XLA's worker."""


def load(source: str) -> UserModel:
    """Return the program of a ``.pt2`` file, or of ``module:callable`` (see :func:`call`).

    Raises FormatError, also if the framework is missing, which the core does not need.
    """
    with _frameworks():
        if Path(source).is_file():
            model: UserModel = _part("torch", "read_exported")(source)
            return model
        callable_, args, kwargs = call(source)
        format = "torch" if _is_torch(callable_) else "tensorflow"
        model = _part(format, "read_callable")(callable_, args, kwargs, source)
        return model


def at_sizes(source: str, key: str) -> list[UserModel]:
    """Return the result of :func:`load`. A ``.pt2`` file with dynamic dimensions adds other sizes, drawn by ``key``.

    Raises FormatError.
    """
    if not Path(source).is_file():
        return [load(source)]
    with _frameworks():
        models: list[UserModel] = _part("torch", "read_at_sizes")(source, key)
        return models


def call(name: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Return the result of ``module:callable``: (model, args, kwargs), with empty kwargs if it returns (model, args).

    A model is a ``torch.nn.Module``, a function of TensorFlow tensors, or a callable object. Imports also work from the
    current directory. Raises FormatError.
    """
    module_name, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    for setting, value in _SETTINGS.items():
        os.environ.setdefault(setting, value)
    with refused(f"{name}: the module {module_name} cannot be imported"), _frameworks():
        module = importlib.import_module(module_name)
    make = getattr(module, attribute, None)
    if not callable(make):
        raise FormatError(f"{name}: the module {module_name} has no callable {attribute}")
    with refused(f"{name}: the callable failed"), _frameworks():
        made = make()
    arguments = (*made, {}) if isinstance(made, tuple) and len(made) == 2 else made
    match arguments:
        case (model, tuple() as args, dict() as kwargs) if _is_torch(model) or callable(model):
            return model, args, kwargs
    raise FormatError(
        f"{name}: the callable returned {_kind_of(made)}; it must return (model, args) or (model, args, kwargs): a "
        "torch.nn.Module or a TensorFlow function, a tuple, a dict"
    )


def _part(format: str, name: str) -> Callable[..., Any]:
    part: registry.Part = getattr(registry.find(format), name)
    function: Callable[..., Any] = part.load()
    return function


def _is_torch(model: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def _kind_of(value: Any) -> str:
    if isinstance(value, tuple):
        return f"a tuple of {', '.join(type(item).__name__ for item in value) or 'nothing'}"
    return f"an object of type {type(value).__name__}"


@contextmanager
def _frameworks() -> Iterator[None]:
    """Turn a missing framework into a FormatError that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _FRAMEWORKS:
            raise
        raise FormatError(f"{_FRAMEWORKS[error.name]} models need {default(error.name).needed()}") from None
