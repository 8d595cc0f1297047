"""Operators of other packages, which declare them by the entry-point group ``polyjuice.operators``.

The module holds them as ``OPS``, a list of :class:`polyjuice.ops.spec.Op`.
"""

from __future__ import annotations

from polyjuice import plugins
from polyjuice.ops.definitions import completed
from polyjuice.ops.registry import register
from polyjuice.ops.spec import Op


def register_further() -> list[str]:
    """Add the operators of all installed packages to the table. Return what is wrong with the others."""
    problems = []
    for entry in plugins.entries(plugins.OPERATORS).values():
        try:
            operators = plugins.loaded(entry, "OPS")
            if not isinstance(operators, list | tuple) or not all(isinstance(op, Op) for op in operators):
                raise plugins.EnvironmentProblem(f"{plugins.described(entry)}: OPS must be a list of operators (Op)")
            register(map(completed, operators))
        except plugins.EnvironmentProblem as problem:
            problems.append(str(problem))
        except ValueError as error:
            problems.append(f"{plugins.described(entry)}: {error}")
    return problems
