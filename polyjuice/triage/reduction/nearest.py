"""The nearest right program: of the candidates that no longer showed the fault, one with the least change.

What the smallest wrong program has and this one lacks is what matters. It need not be an operator: the fault may need
a nested function, an opset, a memory layout, or an element type.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from polyjuice.execution import Artifact
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.ir import attribute_texts
from polyjuice.triage.listing import shown
from polyjuice.triage.reduction.trial import UNFIT, Pair, Trial

FORM = ("choices", "no choices")
"""The passes that only change how a program is written."""

_PASSES = (*FORM, "attributes", "element types")
"""The passes that make near candidates, those with the least change first.

Of others a reader learns nothing: each operator that is left is needed, and a single element hides many faults.
"""

_TRIED = 8
"""The most candidates to run again."""

_WORDS = {
    "a function of its own": "a nested function",
    "a function local to another": "a nested function",
    r"(\w+): True": r"`\1`",
    r"mode: (\w+)": r"the mode `\1`",
    r"layouts: (.*)": r"the layout \1",
    r"writes into inputs: \d+": "writes into inputs",
}
"""Idioms as a report calls them."""


def nearest(trial: Trial, wrong: Pair, refused: Sequence[tuple[str, Pair]]) -> dict[str, str]:
    """How the nearest right program differs: ``change`` completes "it is right", ``form`` is what the wrong one has.

    ``refused`` are candidates made from ``wrong`` that did not show the fault, with the names of their passes. Empty
    where none of them is right.
    """
    near = sorted((one for one in refused if one[0] in _PASSES), key=lambda one: _PASSES.index(one[0]))
    for name, pair in islice(near, _TRIED):
        try:
            found = _written(trial, wrong, pair) if name in FORM else {"change": _computed(wrong, pair)}
        except (Unlowerable, *UNFIT):
            continue
        if found.get("change") and trial.right(pair):
            return found
    return {}


def _written(trial: Trial, wrong: Pair, right: Pair) -> dict[str, str]:
    """The difference of two ways to write the same graphs."""
    for side in range(len(wrong.graphs)):
        a, b = trial.lowered(wrong, side), trial.lowered(right, side)
        lost, gained = (_words(Counter(x.idioms) - Counter(y.idioms)) for x, y in ((a, b), (b, a)))
        if lost or gained:
            return {"change": f"without {lost}" if lost else f"with {gained}", "form": lost}
        if operators := _calls(a, b):
            return {"change": f"with {_calls(b, a)} instead of {operators}", "form": operators}
        a_opsets, b_opsets = (shown(x).facts.get("opset", "") for x in (a, b))
        if a_opsets != b_opsets:
            return {"change": f"in opset {b_opsets}", "form": f"opset {a_opsets}"}
    return {}


def _words(idioms: Iterable[str]) -> str:
    found = []
    for idiom in idioms:
        name = re.sub(r" x\d+$", "", idiom)
        words = (re.sub(pattern, text, name) for pattern, text in _WORDS.items() if re.fullmatch(pattern, name))
        found.append(next(words, name))
    return " and ".join(dict.fromkeys(found))


def _calls(a: Artifact, b: Artifact) -> str:
    return ", ".join(shown(a).operators - shown(b).operators)


def _computed(wrong: Pair, right: Pair) -> str:
    """The difference of two computations."""
    for a, b in zip(wrong.graphs, right.graphs, strict=True):
        for x, y in zip(a.nodes, b.nodes, strict=False):
            old, new = (set(attribute_texts(node.attrs)) for node in (x, y))
            if gained := sorted(new - old):
                return f"with {', '.join(f'{key}={value}' for key, value in gained)} of `{y.qualified}`"
        old_types, new_types = ([g.types[name].dtype for name in (*g.inputs, *g.constants)] for g in (a, b))
        for s, t in zip(old_types, new_types, strict=False):
            if s != t:
                return f"with {t} instead of {s}"
    return ""
