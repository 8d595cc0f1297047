"""An extension of Griffe: roles of Sphinx in docstrings, such as :func:`name`, become code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

_ROLE = re.compile(r":(?:func|class|meth|mod|data|attr):`~?([^`]+)`")


class Roles(Extension):
    """Changes each docstring as it is read."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Called for each module, class, function and attribute."""
        if obj.docstring:
            obj.docstring.value = _ROLE.sub(r"`\1`", obj.docstring.value)
