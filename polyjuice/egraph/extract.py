"""Extraction: choose an e-node for each e-class, from the fewest operators to the most.

Costs count operators of the DAG: an application that several terms share counts once, and all outputs of one
application count once. (Algorithm 1 of PolyJuice, section 4.3, deletes the back edges that a depth-first search meets
and then takes the largest term. That can leave an e-class, even the root, without a term.) Here every e-class has two
terms:

- Its *level 0* term is the smallest. These terms are acyclic, because each refers only to e-classes of lower cost.
- Its *level 1* term comes from a depth-first search. A back edge of that search refers to the level 0 term of its
  target, so no e-node is lost and no cycle can arise.

An e-class may therefore occur inside its own term, as in the round trip Split(Concat(x, x)). One e-node per e-class
could not express that. A set of *raised* e-classes, which show their level 1 term, is one graph. The ``steps`` variants
lie between none raised and all raised.

An *identity* is an e-node with its own e-class among its operands: x + 0, a transposition by the identity, a cast to
the same type. A search for the largest term skips identities, because each adds only one operator. So in some graphs
some e-classes have a *level 2* term: an identity of their level 1 term.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import combinations
from operator import or_
from types import MappingProxyType

from polyjuice.egraph.view import FREE, EGraphView, ENode, multi_output_names

#: A term of an e-class: (e-class, level).
State = tuple[int, int]

_COUNTED, _FREE = 1 << 20, 1
"""Tree costs: an operator outweighs any number of free terms."""

_WITH_IDENTITIES, _IDENTITY = 0.5, 0.25
"""The probability that a graph has identities, and that an e-class then has one, if it can."""

_NEW = 1 << 16
"""More than the number of any bit: stands for an application that no term has so far."""


_ON_THE_WAY = 3
"""The level of the e-classes between a root and an e-class that must be reached."""


_CHAIN = 8
"""The graphs that extraction by difference tries after the first."""


class NoTerm(ValueError):
    """An e-class without a finite term; cannot happen for the e-classes of a graph's values."""


class _Enodes:
    """The e-nodes that the roots can reach, as parallel lists by number, because extraction reads them often.

    ``applications`` numbers operator applications (equal for all outputs of one), and is -1 for free terms. ``classes``
    lists each e-class's e-nodes.
    """

    def __init__(
        self, view: EGraphView, roots: Sequence[int], inputs: Container[int] | None, without: Container[ENode]
    ) -> None:
        self.nodes: list[ENode] = []
        self.children: list[tuple[int, ...]] = []
        self.applications: list[int] = []
        self.classes: dict[int, list[int]] = {}
        multi_output = multi_output_names()
        multi: dict[object, int] = {}
        queue = list(dict.fromkeys(roots))
        seen = set(queue)
        number = 0
        for c in queue:  # the loop appends to it
            here = self.classes[c] = []
            for node in view.classes[c]:
                name, children, arguments = node
                if name == "Input" and inputs is not None and arguments[0] not in inputs:
                    continue
                if without and node in without:  # slow: hashing an e-node hashes all its arguments
                    continue
                application = -1 if name in FREE else number
                if name in multi_output:
                    application = multi.setdefault((node.application, children), number)
                here.append(number)
                self.nodes.append(node)
                self.children.append(children)
                self.applications.append(application)
                number += 1
                for child in children:
                    if child not in seen:
                        seen.add(child)
                        queue.append(child)


@dataclass(frozen=True)
class Selection:
    """A choice of e-nodes: the e-node of each state with its children's states, and the states of the roots."""

    choice: Callable[[State], tuple[ENode, tuple[State, ...]]]
    roots: tuple[State, ...]

    def postorder(self) -> Iterator[tuple[State, ENode, tuple[State, ...]]]:
        """All states that the roots need, children first."""
        done: set[State] = set()
        for root in self.roots:
            stack = [] if root in done else [(root, *self.choice(root))]
            while stack:
                state, node, children = stack[-1]
                for child in children:
                    if child not in done:
                        stack.append((child, *self.choice(child)))
                        break
                else:
                    stack.pop()
                    done.add(state)
                    yield state, node, children

    def operators(self) -> int:
        """The number of operator applications of the selected DAG."""
        return self._applied.total()

    @property
    def names(self) -> Set[str]:
        """The names of the operators of the DAG."""
        return self._applied.keys()

    def distance(self, other: Selection) -> int:
        """How many operators one DAG has, and the other has not.

        Copies of an operator do not count. On 23 seed graphs, this told best which graphs go through different passes
        of TVM. Counts of operators, of pairs of operators, and of operators by shape told it less well.
        """
        return len(self.names ^ other.names)

    @cached_property
    def _applied(self) -> Counter[str]:
        """How often each operator is applied; applications that are the same term count once."""
        names: dict[State, tuple[int, object]] = {}
        numbers: dict[object, int] = {}
        applied: Counter[str] = Counter()
        for state, node, children in self.postorder():
            key = (node.application, *[names[child] for child in children])
            if key not in numbers and node.counted:
                applied[node.name] += 1
            names[state] = (numbers.setdefault(key, len(numbers)), node.arguments[-1] if node.multi_output else 0)
        return applied


class _Smallest:
    """The e-nodes chosen so far, with each term's applications as bits, and their number."""

    def __init__(self, enodes: _Enodes, bit: Callable[[object], int]) -> None:
        self.chosen: dict[int, int] = {}
        self.masks: dict[int, int] = {}
        self._counts: dict[int, int] = {}
        self._children = enodes.children
        self._applications = enodes.applications
        self._bit = bit

    def choose(self, c: int, candidates: Sequence[int]) -> None:
        """Take the first candidate whose term has the fewest operators. (Its own application is in no child's term.)"""
        masks, counts = self.masks, self._counts
        fewest = _NEW
        for n in candidates:
            children = self._children[n]
            own = 0 if self._applications[n] < 0 else 1
            if children and max([counts[child] for child in children]) + own >= fewest:
                continue
            union = 0
            for child in children:
                union |= masks[child]
            count = union.bit_count() + own
            if count < fewest:
                fewest, self.chosen[c], masks[c] = count, n, union
        if self._applications[self.chosen[c]] >= 0:
            masks[c] |= self._bit(self._applications[self.chosen[c]])
        counts[c] = fewest

    def operators(self, roots: Iterable[int]) -> int:
        return reduce(or_, (self.masks.get(root, 0) for root in roots), 0).bit_count()


class _Raised:
    """The level 1 terms chosen so far (an e-node, and its children's levels), with their applications as bits."""

    def __init__(
        self,
        children: Sequence[tuple[int, ...]],
        applications: Sequence[int],
        low_masks: dict[int, int],
        bits: Mapping[object, int],
        bit: Callable[[object], int],
    ) -> None:
        self.terms: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._children, self._applications = children, applications
        self._masks: tuple[dict[int, int], dict[int, int]] = (low_masks, {})
        self._counts: tuple[dict[int, int], ...] = ({c: m.bit_count() for c, m in low_masks.items()}, {})
        self._bits = bits
        self._bit = bit

    def choose(self, c: int, members: Sequence[int]) -> None:
        """Take the e-node whose term has the most operators, and of equal ones the first."""
        children, applications, masks = self._children, self._applications, self._masks
        most, first = -1, 0
        for negated, place, n, levels in self._candidates(members):
            if -negated < most:
                break
            if -negated == most and place > first:
                continue
            mask = 0
            for k, level in zip(children[n], levels, strict=True):
                mask |= masks[level][k]
            application = applications[n]
            key = (application, levels) if 1 in levels else application
            bit = 0 if application < 0 else 1 << self._bits.get(key, _NEW)
            count = (mask | bit).bit_count()
            if count > most or (count == most and place < first):
                most, first, chosen, union, own = count, place, (n, levels), mask, key
        self.terms[c] = chosen
        masks[1][c] = union if applications[chosen[0]] < 0 else union | self._bit(own)
        self._counts[1][c] = most

    def _candidates(self, members: Sequence[int]) -> list[tuple[int, int, int, tuple[int, ...]]]:
        """Each e-node's greatest possible count (negated), its place and its children's levels, the greatest first."""
        terms, children, counts = self.terms, self._children, self._counts
        candidates = []
        for place, n in enumerate(members):
            levels = tuple([1 if k in terms else 0 for k in children[n]])
            at_most = 1 + sum([counts[level][k] for k, level in zip(children[n], levels, strict=True)])
            candidates.append((-at_most, place, n, levels))
        candidates.sort()
        return candidates


class Extractor:
    """Extracts graphs from one saturated e-graph for the given root e-classes.

    Where several graphs share the e-graph, ``inputs`` are the numbers of this graph's own inputs. Terms with other
    graphs' inputs, which shared e-classes may hold, are left out. E-nodes in ``without`` are not chosen.
    """

    def __init__(
        self,
        view: EGraphView,
        roots: Sequence[int],
        inputs: Container[int] | None = None,
        without: Collection[ENode] = frozenset(),
    ) -> None:
        """``without`` are e-nodes to leave out."""
        self.without = without
        self._roots = tuple(roots)
        self._enodes = _Enodes(view, roots, inputs, without)
        self._bits: dict[object, int] = {}
        self._low, self._low_masks = self._smallest_terms()

    def _bit(self, application: object) -> int:
        return 1 << self._bits.setdefault(application, len(self._bits))

    # --- level 0: the fewest operators ---

    def _smallest_terms(self) -> tuple[dict[int, int], dict[int, int]]:
        """For each e-class its level 0 e-node, and the set (as bits) of operator applications of its term.

        Tree costs order the e-classes, so that every e-class has an e-node whose children come strictly before it.
        Knuth's generalization of Dijkstra's algorithm finds them in that order. The search picks for each e-class the
        e-node whose term has the fewest operators. It does so once among all such e-nodes, and once among those of the
        least tree cost. Neither is always the better, because neither sees sharing with *other* terms.
        """
        enodes = self._enodes
        children, applications = enodes.children, enodes.applications
        owner = [0] * len(children)
        waiting = [0] * len(children)
        totals = [_FREE if application < 0 else _COUNTED for application in applications]
        users: dict[int, list[int]] = {c: [] for c in enodes.classes}
        best: dict[int, int] = {}
        heap: list[tuple[int, int]] = []
        for c, members in enodes.classes.items():
            for n in members:
                owner[n] = c
                below = children[n] if len(children[n]) < 2 else set(children[n])
                waiting[n] = len(below)
                for child in below:
                    users[child].append(n)
                if not below and totals[n] < best.get(c, totals[n] + 1):
                    best[c] = totals[n]
                    heapq.heappush(heap, (totals[n], c))
        of_all, of_trees = _Smallest(enodes, self._bit), _Smallest(enodes, self._bit)
        while heap:
            cost, c = heapq.heappop(heap)
            if c in of_all.chosen:
                continue
            ready = [n for n in enodes.classes[c] if not waiting[n]]
            least = [n for n in ready if totals[n] == cost]
            of_all.choose(c, ready)
            of_trees.choose(c, least)
            for n in users[c]:
                waiting[n] -= 1
                totals[n] += cost * children[n].count(c)
                if not waiting[n] and totals[n] < best.get(owner[n], totals[n] + 1):
                    best[owner[n]] = totals[n]
                    heapq.heappush(heap, (totals[n], owner[n]))
        chosen = of_trees if of_trees.operators(self._roots) < of_all.operators(self._roots) else of_all
        return chosen.chosen, chosen.masks

    # --- level 1: the most operators, or random ones ---

    def _raised_terms(
        self, rng: random.Random, largest: bool, unlike: Selection | None
    ) -> dict[int, tuple[int, tuple[int, ...]]]:
        """The level 1 terms of the e-classes that the roots can reach: an e-node, and its children's levels.

        Operators that ``unlike`` has do not count, and of equal terms one is taken that does not begin with them.
        """
        enodes, low = self._enodes, self._low
        children, applications, masks = enodes.children, enodes.applications, self._low_masks
        names = unlike.names if unlike else frozenset()
        if names:
            applications = [-1 if node.name in names else a for node, a in zip(enodes.nodes, applications, strict=True)]
            counted = reduce(or_, (1 << self._bits[a] for a in applications if a in self._bits), 0)
            masks = {c: mask & counted for c, mask in masks.items()}
        raised = _Raised(children, applications, masks, self._bits, self._bit)
        terms = raised.terms
        open_: set[int] = set()

        def opened(c: int) -> tuple[int, list[int], Iterator[int]]:
            members = [n for n in enodes.classes[c] if low.keys() >= set(children[n])]
            if not members:
                raise NoTerm(f"e-class {c} has no finite term")
            if len(members) > 1:  # among equals avoid the smallest term's e-node, for another variant
                members.sort(key=lambda n: (enodes.nodes[n].name in names, largest and n == low.get(c), rng.random()))
            open_.add(c)
            return c, members, iter([k for n in members for k in children[n]])

        for root in self._roots:
            stack = [opened(root)] if root not in terms else []
            while stack:
                c, members, below = stack[-1]
                for child in below:
                    if child not in terms and child not in open_:
                        stack.append(opened(child))
                        break
                else:
                    stack.pop()
                    open_.discard(c)
                    raised.choose(c, members if largest else members[:1])
        return terms

    # --- level 2: an identity of the level 1 term ---

    def _drawn_identities(self, rng: random.Random, classes: Iterable[int]) -> dict[int, int]:
        """An identity for some of these e-classes; in some graphs for none."""
        enodes, low = self._enodes, self._low
        drawn: dict[int, int] = {}
        if rng.random() >= _WITH_IDENTITIES:
            return drawn
        for c in classes:
            found = [
                n
                for n in enodes.classes[c]
                if c in enodes.children[n] and enodes.applications[n] >= 0 and low.keys() >= set(enodes.children[n])
            ]
            if found and rng.random() < _IDENTITY:
                drawn[c] = rng.choice(found)
        return drawn

    def _select(
        self,
        terms: dict[int, tuple[int, tuple[int, ...]]],
        raised: Collection[int],
        identities: Mapping[int, int] = MappingProxyType({}),
    ) -> Selection:
        """The graph in which the e-classes in ``raised`` show their level 1 term, or its identity."""
        nodes, children, low = self._enodes.nodes, self._enodes.children, self._low

        def top(c: int) -> int:
            return 0 if c not in raised else 2 if c in identities else 1

        def choice(state: State) -> tuple[ENode, tuple[State, ...]]:
            c, level = state
            if level == 2:
                n = identities[c]
                return nodes[n], tuple([(k, int(k == c)) for k in children[n]])
            if level:
                n, levels = terms[c]
                return nodes[n], tuple([(k, top(k) if up else 0) for k, up in zip(children[n], levels, strict=True)])
            if c not in low:
                raise NoTerm(f"e-class {c} has no finite term")
            n = low[c]
            return nodes[n], tuple([(k, 0) for k in children[n]])

        return Selection(choice, tuple((root, top(root)) for root in self._roots))

    # --- the e-nodes to choose from ---

    def enodes(self) -> Sequence[ENode]:
        """All e-nodes that the roots can reach."""
        return self._enodes.nodes

    def classes(self) -> dict[int, list[ENode]]:
        """The e-nodes of every e-class that the roots can reach."""
        return {c: [self._enodes.nodes[n] for n in numbers] for c, numbers in self._enodes.classes.items()}

    def smallest(self) -> Selection:
        """The level 0 terms of all e-classes that have one."""
        selection = self._select({}, frozenset())
        return Selection(selection.choice, tuple((c, 0) for c in self._low))

    # --- the strategies ---

    def fewest(self) -> Selection:
        """The graph of all level 0 terms (``min``)."""
        return self._select({}, frozenset())

    def most(self, rng: random.Random, limit: int, steps: int = 0) -> list[Selection]:
        """``steps`` graphs between the ends, then the one with the most operators, none above ``limit``."""
        return self._between(rng, True, limit, steps + 1)

    def different(self, rng: random.Random, limit: int, count: int) -> list[Selection]:
        """``count`` graphs with many operators that the others lack, none above ``limit``.

        The objective is the sum of the distances of all pairs (`Selection.distance`). The graph of all level 0 terms
        begins a chain. Each further graph has as many operators as possible that the one before lacks. Of the chain,
        this takes the two that are farthest apart. Then it adds the one with the greatest sum of distances to those
        taken. The sum is then at least half of the greatest one among these graphs: see Birnbaum and Goldman, An
        Improved Analysis for a Greedy Remote-Clique Algorithm, 2009.
        """
        chain = [self.fewest()]
        for _ in range(max(_CHAIN, count)):
            chain += self._between(rng, True, limit, 1, unlike=chain[-1])
        taken = [*max(combinations(chain, 2), key=lambda pair: pair[0].distance(pair[1]))]
        while len(taken) < count:
            taken.append(max(chain, key=lambda one: sum(one.distance(other) for other in taken)))
        return taken

    def takes(self, eclass: int, node: ENode) -> bool:
        """Whether the roots can reach an e-class, and the children of an e-node have finite terms."""
        return eclass in self._enodes.classes and self._low.keys() >= set(node.children)

    def through(self, eclass: int, node: ENode) -> Selection:
        """The smallest graph in which one root reaches an e-class, and the e-class is written as this e-node.

        The e-node need not be one of the view's; its children must have finite terms. On the shortest way from a root
        to the e-class, each e-class takes the next step; everything else is of level 0. Other terms that need the
        e-class have its level 0 term, too.
        """
        steps = self._way(eclass)

        def choice(state: State) -> tuple[ENode, tuple[State, ...]]:
            c, level = state
            if level == _ON_THE_WAY and c == eclass:
                return node, tuple([(k, 0) for k in node.children])
            n, following = steps[c] if level == _ON_THE_WAY else (self._low[c], None)
            children = [(k, _ON_THE_WAY if k == following else 0) for k in self._enodes.children[n]]
            return self._enodes.nodes[n], tuple(children)

        on_the_way = steps.keys() | {eclass}
        return Selection(choice, tuple((root, _ON_THE_WAY if root in on_the_way else 0) for root in self._roots))

    def _way(self, eclass: int) -> dict[int, tuple[int, int]]:
        """The fewest steps from a root to an e-class: for each e-class before it, an e-node and the next e-class."""
        enodes, low = self._enodes, self._low
        came_from: dict[int, tuple[int, int]] = {}
        queue = [root for root in dict.fromkeys(self._roots) if root in low]
        seen = set(queue)
        for c in queue:  # the loop appends to it
            if c == eclass:
                break
            for n in sorted(enodes.classes[c], key=lambda n: n != low[c]):
                if low.keys() >= set(enodes.children[n]):
                    for child in enodes.children[n]:
                        if child not in seen:
                            seen.add(child)
                            came_from[child] = (c, n)
                            queue.append(child)
        steps: dict[int, tuple[int, int]] = {}
        while eclass in came_from:
            before, n = came_from[eclass]
            steps[before] = n, eclass
            eclass = before
        return steps

    def any(self, rng: random.Random, limit: int) -> Selection:
        """A graph of randomly chosen e-nodes (the baseline of PolyJuice, section 6.3)."""
        return self._between(rng, False, limit, 1)[-1]

    def _between(
        self, rng: random.Random, largest: bool, limit: int, count: int, unlike: Selection | None = None
    ) -> list[Selection]:
        """``count`` graphs in which ever more e-classes show their level 1 term, up to ``limit`` operators.

        E-classes are raised from the roots down, in random order, so that each raise shows and adds a little. A raise
        may also remove operators, where other terms share the e-class's new term. So the graphs are sorted by size.
        """
        terms = self._raised_terms(rng, largest, unlike)
        order: list[int] = []
        seen = set(self._roots)
        frontier = sorted(seen)
        while frontier:
            c = frontier.pop(rng.randrange(len(frontier)))
            order.append(c)
            n, levels = terms[c]
            below = [k for k, up in zip(self._enodes.children[n], levels, strict=True) if up and k not in seen]
            frontier += dict.fromkeys(below)
            seen.update(below)

        identities = self._drawn_identities(rng, order) if largest else {}

        @cache
        def raised(k: int) -> Selection:
            return self._select(terms, frozenset(order[:k]), identities)

        low, high = 0, len(order)
        if raised(high).operators() > limit:
            while low + 1 < high:
                middle = (low + high) // 2
                low, high = (middle, high) if raised(middle).operators() <= limit else (low, middle)
            high = low
        found = sorted((raised(high * (i + 1) // count) for i in range(count)), key=Selection.operators)
        fitting = [selection for selection in found if selection.operators() <= limit] or [raised(low)]
        return fitting + fitting[-1:] * (count - len(fitting))
