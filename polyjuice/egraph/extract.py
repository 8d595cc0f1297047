"""Extraction: which e-node stands for each e-class, from the fewest operators to the most.

Costs count operators of the DAG: an application that several terms share counts once, and all outputs of one
application count once. (Algorithm 1 of paper 004, section 4.3, deletes the back edges that a depth-first search meets
and then takes the largest term; that can leave an e-class, even the root, without a term.) Here every e-class has two
terms. Its *level 0* term is the smallest; those terms are acyclic, for each refers only to e-classes of lower cost. Its
*level 1* term is chosen by a depth-first search in which a back edge refers to the level 0 term of the e-class it leads
to, so no e-node is lost and no cycle can arise. This also lets an e-class stand inside its own term (a round trip such
as Split(Concat(x, x))), which no choice of one e-node per e-class can express. A set of *raised* e-classes, those that
show their level 1 term, is one graph; between none and all of them lie the steps.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from polyjuice.egraph.view import EGraphView, ENode

#: A term of an e-class: (e-class, level).
State = tuple[int, int]

_COUNTED, _FREE = 1 << 20, 1
"""Tree costs: an operator outweighs any number of free terms."""


def _cost(node: ENode) -> int:
    return _COUNTED if node.counted else _FREE


class NoTerm(ValueError):
    """An e-class without a finite term; cannot happen for the e-classes of a graph's values."""


@dataclass(frozen=True)
class Selection:
    """A choice of e-nodes: the e-node of each state, and the states of the roots."""

    choice: Callable[[State], tuple[ENode, tuple[State, ...]]]
    roots: tuple[State, ...]

    def postorder(self) -> Iterator[tuple[State, ENode, tuple[State, ...]]]:
        """All states that the roots need, children first."""
        done: set[State] = set()
        for root in self.roots:
            stack: list[tuple[State, bool]] = [(root, False)]
            while stack:
                state, expanded = stack.pop()
                if state in done:
                    continue
                node, children = self.choice(state)
                if expanded:
                    done.add(state)
                    yield state, node, children
                else:
                    stack.append((state, True))
                    stack.extend((child, False) for child in reversed(children) if child not in done)

    def operators(self) -> int:
        """The number of operator applications of the selected DAG."""
        names: dict[State, object] = {}
        applications: dict[object, int] = {}
        counted = set()
        for state, node, children in self.postorder():
            key = (node.application, tuple(names[child] for child in children))
            number = applications.setdefault(key, len(applications))
            names[state] = (number, node.arguments[-1:] if node.application[1] != node.arguments else ())
            if node.counted:
                counted.add(number)
        return len(counted)


class Extractor:
    """Extracts graphs from one saturated e-graph for the given root e-classes."""

    def __init__(self, view: EGraphView, roots: Sequence[int]) -> None:
        self._view = view
        self._roots = tuple(roots)
        self._bits: dict[object, int] = {}
        costs = self._tree_costs()
        tables = [self._smallest_terms(costs, shared) for shared in (True, False)]
        self._low, self._low_masks = min(tables, key=lambda table: self._union(table[1][r] for r in roots).bit_count())

    # --- level 0: the fewest operators ---

    def _smallest_terms(self, costs: Sequence[int | None], shared: bool) -> tuple[list[ENode | None], list[int]]:
        """For each e-class its level 0 e-node, and the set (as bits) of operator applications of its term.

        Tree costs order the e-classes, so that every e-class has an e-node whose children come strictly before it. In
        that order the e-node is taken whose term has the fewest operators, among all such e-nodes if ``shared``, else
        among those of the least tree cost. Neither is always the better, for neither sees what *other* terms share.
        """
        order = sorted((c for c, cost in enumerate(costs) if cost is not None), key=lambda c: (costs[c], c))
        rank = {c: i for i, c in enumerate(order)}
        chosen: list[ENode | None] = [None] * len(costs)
        masks = [0] * len(costs)
        for c in order:
            fewest: int | None = None
            for node in self._view.classes[c]:
                if not all(child in rank and rank[child] < rank[c] for child in node.children):
                    continue
                if not shared and _cost(node) + sum(costs[child] or 0 for child in node.children) != costs[c]:
                    continue
                states = tuple((child, 0) for child in node.children)
                mask = self._mask(node, states, [masks[child] for child in node.children])
                if fewest is None or mask.bit_count() < fewest:
                    fewest, chosen[c], masks[c] = mask.bit_count(), node, mask
        return chosen, masks

    def _tree_costs(self) -> list[int | None]:
        classes = self._view.classes
        costs: list[int | None] = [None] * len(classes)
        users: list[list[tuple[int, ENode]]] = [[] for _ in classes]
        work: list[tuple[int, ENode]] = []
        for c, nodes in enumerate(classes):
            for node in nodes:
                for child in set(node.children):
                    users[child].append((c, node))
                if not node.children:
                    work.append((c, node))
        while work:
            next_work: list[tuple[int, ENode]] = []
            for c, node in work:
                cost = _cost(node)
                for child in node.children:
                    below = costs[child]
                    if below is None:
                        break
                    cost += below
                else:
                    current = costs[c]
                    if current is None or cost < current:
                        costs[c] = cost
                        next_work.extend(users[c])
            work = next_work
        return costs

    def _mask(self, node: ENode, states: tuple[State, ...], children: Sequence[int]) -> int:
        mask = self._union(children)
        if node.counted:
            bit = self._bits.setdefault((node.application, states), len(self._bits))
            mask |= 1 << bit
        return mask

    @staticmethod
    def _union(masks: Iterable[int]) -> int:
        return reduce(or_, masks, 0)

    # --- level 1: the most operators, or random ones ---

    def _raised_terms(self, rng: random.Random, largest: bool) -> dict[int, tuple[ENode, tuple[State, ...]]]:
        """The level 1 terms of the e-classes that the roots can reach."""
        terms: dict[int, tuple[ENode, tuple[State, ...]]] = {}
        masks: dict[int, int] = {}
        open_: set[int] = set()
        shuffled: dict[int, list[ENode]] = {}

        def nodes_of(c: int) -> list[ENode]:
            if c not in shuffled:
                nodes = [n for n in self._view.classes[c] if all(self._low[k] is not None for k in n.children)]
                rng.shuffle(nodes)
                shuffled[c] = nodes
            return shuffled[c]

        def finish(c: int) -> None:
            best: tuple[int, ENode, tuple[State, ...]] | None = None
            for node in nodes_of(c):
                states = tuple((k, 1 if k in terms else 0) for k in node.children)
                below = [masks[k] if level else self._low_masks[k] for k, level in states]
                mask = self._mask(node, states, below)
                if best is None or (largest and mask.bit_count() > best[0].bit_count()):
                    best = mask, node, states
            if best is None:
                raise NoTerm(f"e-class {c} has no finite term")
            masks[c], terms[c] = best[0], best[1:]

        for root in self._roots:
            stack: list[tuple[int, Iterator[int]]] = []
            if root not in terms:
                open_.add(root)
                stack.append((root, iter([k for node in nodes_of(root) for k in node.children])))
            while stack:
                c, children = stack[-1]
                child = next((k for k in children if k not in terms and k not in open_), None)
                if child is None:
                    stack.pop()
                    open_.discard(c)
                    finish(c)
                else:
                    open_.add(child)
                    stack.append((child, iter([k for node in nodes_of(child) for k in node.children])))
        return terms

    def _select(self, terms: dict[int, tuple[ENode, tuple[State, ...]]], raised: Collection[int]) -> Selection:
        def state(c: int, level: int) -> State:
            return (c, 1) if level and c in raised else (c, 0)

        def choice(s: State) -> tuple[ENode, tuple[State, ...]]:
            c, level = s
            if level:
                node, states = terms[c]
                return node, tuple(state(*child) for child in states)
            low = self._low[c]
            if low is None:
                raise NoTerm(f"e-class {c} has no finite term")
            return low, tuple((child, 0) for child in low.children)

        return Selection(choice, tuple(state(root, 1) for root in self._roots))

    # --- the strategies ---

    def fewest(self) -> Selection:
        """The graph of all level 0 terms (``min``)."""
        return self._select({}, frozenset())

    def most(self, rng: random.Random, limit: int, steps: int = 0) -> list[Selection]:
        """``steps`` graphs between the ends, then the one with the most operators, none above ``limit``."""
        return self._between(rng, True, limit, steps + 1)

    def any(self, rng: random.Random, limit: int) -> Selection:
        """A graph of randomly chosen e-nodes (the baseline of paper 004, section 6.3)."""
        return self._between(rng, False, limit, 1)[-1]

    def _between(self, rng: random.Random, largest: bool, limit: int, count: int) -> list[Selection]:
        """Graphs in which ever more e-classes show their level 1 term, up to ``limit`` operators.

        They are raised from the roots down, in random order, so that each raise shows and adds a little. (One may take
        a little away, where other terms share what the e-class shows then. So the graphs are put in order.)
        """
        terms = self._raised_terms(rng, largest)
        order: list[int] = []
        seen = set(self._roots)
        frontier = sorted(seen)
        while frontier:
            c = frontier.pop(rng.randrange(len(frontier)))
            order.append(c)
            below = [k for k, level in terms[c][1] if level and k not in seen]
            frontier += dict.fromkeys(below)
            seen.update(below)

        def raised(k: int) -> Selection:
            return self._select(terms, set(order[:k]))

        low, high = 0, len(order)
        if raised(high).operators() > limit:
            while low + 1 < high:
                middle = (low + high) // 2
                low, high = (middle, high) if raised(middle).operators() <= limit else (low, middle)
            high = low
        found = sorted((raised(high * (i + 1) // count) for i in range(count)), key=Selection.operators)
        fitting = [selection for selection in found if selection.operators() <= limit] or [raised(low)]
        return fitting + fitting[-1:] * (count - len(fitting))
