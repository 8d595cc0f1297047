"""Fail with a one-line message if this Python cannot make the virtual environment. Runs on any Python 3."""

import importlib.util
import platform
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this check is the purpose of the file
    sys.exit(
        "polyjuice: Python 3.11 or later is needed, and this is "
        + platform.python_version()
        + ": install it, then name it, as in `make fuzz PYTHON=python3.11`"
    )
for module in ("venv", "ensurepip"):
    if importlib.util.find_spec(module) is None:
        sys.exit(
            "polyjuice: Python's module " + module + " is missing: install it (Debian: apt-get install python3-venv)"
        )
