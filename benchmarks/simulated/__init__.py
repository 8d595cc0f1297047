"""Simulated compilers, the interpreter with a known fault, to measure which faults a case exposes.

A compiler with planted faults (``benchmarks/mutants``) must compile, so that few cases run in minutes. Here thousands
do. A fault gets one application of an operator, with all values before it, and returns the values that it makes wrong.
A case exposes a fault if the oracles report a verdict on the programs with it. They report none on the interpreter
without faults (see the ``numpy`` control).

Some faults are written by hand, after published bugs. They favour the cases that their author had in mind, so a fixed
seed draws others from the operator table. These are kernels (one operator on one element type, with an operand of some
kind), pairs of neighbours, and chains of three.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Outcome
from polyjuice.interpret import EvaluationError, apply
from polyjuice.ir import Graph, Node, dtypes
from polyjuice.ops import entry
from polyjuice.oracles import ORACLES, Case

CONTIGUOUS = 8
"""The least number of contiguous elements for which a loop is vectorised."""

CONTRACTIONS = ("MatMul", "Gemm", "Conv", "ConvTranspose", "aten.linear", "aten.addmm", "aten.baddbmm", "aten.dot")
LEAST = ("ReduceMin", "aten.min", "aten.aminmax")
GREATEST = ("ReduceMax", "aten.max", "aten.aminmax")
ARGS = ("ArgMin", "ArgMax", "aten.argmin", "aten.argmax")
"""The qualified names of contractions, reductions to the least and the greatest element, and arg reductions."""


@dataclass(frozen=True)
class Site:
    """One application of an operator: its operands and results, the values before it, and the graph around it."""

    graph: Graph
    node: Node
    operands: Sequence[np.ndarray]
    results: Sequence[np.ndarray]
    values: Mapping[str, np.ndarray]
    makers: Mapping[str, Node]

    @property
    def names(self) -> list[str]:
        """The names of the operands, without absent optional ones."""
        return [name for name in self.node.inputs if name]

    @property
    def dtype(self) -> str:
        """The element type of the first operand."""
        return self.graph.types[self.names[0]].dtype if self.names else ""

    def maker(self, at: int, *operators: str) -> Node | None:
        """Return the node that makes an operand, if it has one of these operators (none named: any operator)."""
        node = self.makers.get(self.names[at]) if at < len(self.names) else None
        return node if node and (not operators or node.qualified in operators) else None

    def again(self, operands: Sequence[np.ndarray] | None = None, **attrs: Any) -> np.ndarray | None:
        """Return the first result on other operands or with other attributes; None if its shape differs."""
        node = replace(self.node, attrs={**self.node.attrs, **attrs})
        types = [self.graph.types[name] if name else None for name in node.outputs]
        with suppress(EvaluationError):
            other = apply(node, self.operands if operands is None else operands, types)[0]
            return other if other.shape == self.results[0].shape else None
        return None


Effect = Callable[[Site], "np.ndarray | Mapping[str, np.ndarray] | None"]
"""Returns the wrong first result, or wrong values by name; None if the fault does not occur at the site."""


@dataclass(frozen=True)
class Fault:
    """A simulated fault. ``operators`` are the qualified names of those that it may affect (empty: all)."""

    name: str
    group: str
    effect: Effect = field(repr=False)
    operators: frozenset[str] = frozenset()

    def at(self, site: Site) -> dict[str, np.ndarray]:
        """Return the values that the fault makes wrong at a site, by name."""
        if self.operators and site.node.qualified not in self.operators:
            return {}
        wrong = self.effect(site)
        if wrong is None:
            return {}
        found = wrong if isinstance(wrong, Mapping) else {site.node.outputs[0]: np.asarray(wrong)}
        cast = {n: a.astype(dtypes.to_numpy(site.graph.types[n].dtype), copy=False) for n, a in found.items() if n}
        now = {**site.values, **dict(zip(site.node.outputs, site.results, strict=True))}
        return {name: array for name, array in cast.items() if not _alike(array, now[name])}


# --- which faults a case exposes --------------------------------------------------------------------------------------


def exposed(case: Case, faults: Sequence[Fault], compiler: CompilerInfo) -> tuple[set[str], set[str]]:
    """Return the faults that a case meets (some value is wrong), and those that it exposes (an oracle reports them)."""
    clean: dict[str, list[tuple[np.ndarray, ...]]] = {}
    met: dict[str, set[str]] = {}
    for program in case.programs:
        seen: set[str] = set()
        try:
            clean[program.label] = [run(program.graph, one.arrays, faults, seen) for one in case.sets]
        except EvaluationError:
            continue
        for name in seen:
            met.setdefault(name, set()).add(program.label)
    by_name = {fault.name: fault for fault in faults}
    return set(met), {name for name, labels in met.items() if _tells(case, clean, by_name[name], labels, compiler)}


def run(
    graph: Graph, inputs: Sequence[np.ndarray], faults: Sequence[Fault] = (), met: set[str] | None = None
) -> tuple[np.ndarray, ...]:
    """Return the outputs of a graph with one fault. Raises EvaluationError.

    With ``met``, return the right outputs instead, and add the names of all faults that the graph meets to ``met``.
    """
    values: dict[str, np.ndarray] = {}
    for name, array in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items()):
        values[name] = array.astype(dtypes.to_numpy(graph.types[name].dtype), copy=False)
    makers: dict[str, Node] = {}
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            operands = [values[name] for name in node.inputs if name]
            results = apply(node, operands, [graph.types[name] if name else None for name in node.outputs])
            site = Site(graph, node, operands, results, values, makers)
            wrong: dict[str, np.ndarray] = {}
            for fault in faults:
                if met is None:
                    wrong = fault.at(site)
                elif fault.name not in met and fault.at(site):
                    met.add(fault.name)
            values.update((name, value) for name, value in zip(node.outputs, results, strict=True) if name)
            values.update(wrong)
            makers.update((name, node) for name in node.outputs if name)
    return tuple(values[name] for name in graph.outputs)


@dataclass(frozen=True)
class _Access:
    """The compiler access for oracles. It has no uncompiled run, which would add nothing to the interpreter."""

    compiler: CompilerInfo

    def execute(self, *_: object, **__: object) -> Outcome:
        return Outcome(status="unsupported")


def _tells(
    case: Case,
    clean: Mapping[str, Sequence[tuple[np.ndarray, ...]]],
    fault: Fault,
    labels: set[str],
    compiler: CompilerInfo,
) -> bool:
    """Whether the oracles report a verdict on the case's programs, some of which meet the fault."""
    programs, changed = [], []
    for program in case.programs:
        if program.label not in clean:
            continue
        outputs = list(clean[program.label])
        if program.label in labels:
            try:
                outputs = [run(program.graph, one.arrays, [fault]) for one in case.sets]
            except EvaluationError:  # such as an index out of range: the simulated process would die
                return True
            pairs = zip(outputs, clean[program.label], strict=True)
            if not all(_alike(x, y) for wrong, right in pairs for x, y in zip(wrong, right, strict=True)):
                changed.append(program.label)
        programs.append(replace(program, outcome=Outcome(status="ok", outputs=tuple(outputs))))
    if not changed:
        return False
    ran: Any = replace(case, programs=programs)
    access: Any = _Access(compiler)
    return bool(ORACLES["differential"].judge(ran.only(changed), access) or ORACLES["metamorphic"].judge(ran, access))


def _alike(x: np.ndarray, y: np.ndarray) -> bool:
    return x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes()


# --- what faults share ------------------------------------------------------------------------------------------------


def class_of(node: Node) -> str:
    """Return the class of a node's operator; "" if it is not in the table."""
    op = entry(node)
    if op is None:
        return ""
    if op.elementwise:
        return "elementwise"
    if op.qualified in CONTRACTIONS:
        return "contraction"
    if op.moves:
        return "moving"
    reduces = op.name.startswith(("Reduce", "Arg")) or op.qualified in (*GREATEST, *ARGS, *LEAST)
    return "reduction" if reduces else "other"


def wrong(array: np.ndarray) -> np.ndarray | None:
    """Return the array with its first element wrong; None if it has no elements."""
    if not array.size:
        return None
    other = array.copy()
    at = (0,) * array.ndim
    if array.dtype == bool:
        other[at] = not array[at]
    elif np.issubdtype(array.dtype, np.integer):
        other[at] = array[at] ^ np.array(1, array.dtype)
    else:
        value = float(array[at])
        other[at] = array.dtype.type(1.5 * value + 1 if np.isfinite(value) else 1)
    return other
