"""The user's own models, and how much of each a campaign tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import graph_windows, operator_count
from polyjuice.user_models import UserModel
from polyjuice.wording import counted


def covered(
    seeds: Seeds, cases: Sequence[tuple[int, int, int]], compiler: CompilerInfo, rules: int
) -> list[dict[str, Any]]:
    """The coverage of each of the user's models, as plain data; ``rules`` is the number of rules that fired.

    ``cases`` has the index, pairs and programs of each case. In a row, ``operators`` is the model's number of
    operators, ``kinds`` that of different ones, and ``opaque`` names those that the operator table lacks.
    ``as_written`` tells whether the compiler got the program unchanged, ``read`` whether Polyjuice can read it,
    ``large`` whether cases rewrite only parts.
    """
    models = seeds.models()
    rows = []
    for number, (source, model) in enumerate(models):
        own = [(pairs, programs) for index, pairs, programs in cases if index % len(models) == number]
        tested = [programs for pairs, programs in own if pairs]
        rows.append(_row(source, model, compiler) | {"cases": len(tested), "programs": sum(tested), "rules": rules})
    return rows


def _row(source: str, model: UserModel, compiler: CompilerInfo) -> dict[str, Any]:
    nodes = model.graph.nodes
    return {
        "source": source,
        "operators": operator_count(model.graph),
        "kinds": len({node.qualified for node in nodes}),
        "opaque": sorted({node.qualified for node in nodes if node.opaque}),
        "read": not model.unread,
        "as_written": model.as_written(compiler.format) is not None,
        "large": len(nodes) > graph_windows.LARGEST,
    }


def lines(row: Mapping[str, Any], compiler: str) -> list[str]:
    """The coverage of a model, and its gaps, in sentences."""
    if not row["read"]:
        return [
            f"{counted(row['cases'], 'case')} of it as you wrote it, each compared with its uncompiled run",
            "Polyjuice cannot read it, so it has no variants and is not compared with float64",
        ]
    size = f"{counted(row['operators'], 'operator')} of {counted(row['kinds'], 'kind')}"
    how = f"{'as you wrote it, and ' if row['as_written'] else ''}rewritten by {counted(row['rules'], 'rule')}"
    found = [f"{size}, {how}: {counted(row['programs'], 'program')} in {counted(row['cases'], 'case')}"]
    if not row["as_written"]:
        found.append(f"{compiler} does not read this format: Polyjuice translated the model's graph for it")
    if row["large"]:
        found.append(
            f"each case rewrites parts of at most {graph_windows.LARGEST} operators; further cases take other parts"
        )
    if row["opaque"]:
        names = ", ".join(row["opaque"])
        found.append(f"no rule rewrites {names}; results that depend on it are not compared with float64")
    return found
