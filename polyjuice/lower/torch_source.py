"""Graph to PyTorch source: a module class whose text is what runs and what a reproducer shows.

The spelling is chosen by the seed, because compilers treat spellings differently: which of an operator's templates is
used, whether broadcasting is implicit or an explicit ``expand``, and whether a constant is a Python number, built in
``forward``, a buffer, a parameter or a plain attribute.
"""

from __future__ import annotations

import keyword
import random
import re
from collections.abc import Sequence

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.ir import Graph, Node, array_digest, dtypes, uniform_value
from polyjuice.lower.problem import Unlowerable
from polyjuice.ops import Op, TorchCall, entry

#: Operators that take a Python number for one operand without a change of type.
_TAKE_NUMBERS = frozenset({"Add", "Sub", "Mul", "Div"})

#: Chance that an implicit broadcast of an operand is spelled out.
_EXPLICIT_EXPAND = 0.15

_HEADER = """\
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()
"""


def lower(graph: Graph, rng: random.Random) -> Artifact:
    """The Torch source of a graph and the arrays that it takes. Raises Unlowerable naming the node."""
    return _Writer(graph, rng).artifact()


class _Writer:
    """Writes one model."""

    def __init__(self, graph: Graph, rng: random.Random) -> None:
        self._graph = graph
        self._rng = rng
        self._names = _python_names(graph)
        self._setup: list[str] = []
        self._body: list[str] = []
        self._arrays: dict[str, np.ndarray] = {}
        self._numbers: dict[str, str] = {}
        self._made: set[str] = set()

    def artifact(self) -> Artifact:
        for name, array in self._graph.constants.items():
            self._constant(name, array)
        for node in self._graph.nodes:
            self._node(node)
        results = [self._tensor(name) for name in self._graph.outputs]
        parameters = ", ".join(["self", *(self._names[name] for name in self._graph.inputs)])
        lines = [_HEADER + "".join(f"        {line}\n" for line in self._setup)]
        lines.append(f"    def forward({parameters}):")
        lines += [f"        {line}" for line in self._body]
        lines.append(f"        return ({', '.join(results)},)")
        return Artifact("torch", "\n".join(lines) + "\n", self._arrays)

    def _constant(self, name: str, array: np.ndarray) -> None:
        """Decide how a constant is written; a number is written where it is used."""
        dtype = dtypes.of_array(array)
        value = uniform_value(array)
        if value is not None and self._rng.random() < 0.8:
            self._numbers[name] = repr(value)
            return
        key = f"w_{array_digest(array)}_{'x'.join(map(str, array.shape)) or 'scalar'}_{dtype}"
        self._arrays[key] = array
        attribute = f"w_{self._names[name]}"  # no attribute of torch.nn.Module begins so
        spellings = [f'self.{attribute} = arrays["{key}"]', f'self.register_buffer("{attribute}", arrays["{key}"])']
        if dtypes.is_float(dtype):
            spellings.append(f'self.{attribute} = torch.nn.Parameter(arrays["{key}"], requires_grad=False)')
        self._setup.append(self._rng.choice(spellings))
        self._names[name] = f"self.{attribute}"

    def _tensor(self, name: str) -> str:
        """The expression of a value; a uniform constant is built the first time that a tensor of it is needed."""
        if name in self._numbers and name not in self._made:
            t = self._graph.types[name]
            device = f", device={self._names[self._graph.inputs[0]]}.device" if self._graph.inputs else ""
            self._body.append(
                f"{self._names[name]} = torch.full({t.shape}, {self._number(name)}, dtype=torch.{t.dtype}{device})"
            )
            self._made.add(name)
        return self._names[name]

    def _number(self, name: str) -> str:
        text = self._numbers[name]
        return f'float("{text}")' if text in ("inf", "-inf", "nan") else text

    def _node(self, node: Node) -> None:
        op = entry(node)
        if op is None:
            raise Unlowerable(f"node {node}: {node.qualified} has no Torch spelling")
        call = TorchCall(
            self._operands(node, op),
            [self._graph.types[name] for name in node.inputs if name],
            [self._graph.types[name] for name in node.outputs if name],
            node.attrs,
            self._rng,
        )
        text = self._rng.choice(op.torch).format(*call.x) if isinstance(op.torch, tuple) else op.torch(call)
        targets = ", ".join(self._names[name] if name else "_" for name in node.outputs)
        comma = "," if op.splits and len(node.outputs) == 1 else ""
        self._body.append(f"{targets}{comma} = {text}")

    def _operands(self, node: Node, op: Op) -> list[str]:
        names = [name for name in node.inputs if name]
        texts: list[str] = []
        result = self._graph.types[node.outputs[0]] if node.outputs[0] else None
        number = self._number_operand(node, names)
        for name in names:
            if name == number:
                texts.append(self._number(name))
                continue
            text = self._tensor(name)
            broadcasts = op.elementwise and result and self._graph.types[name].shape != result.shape
            if result and broadcasts and self._rng.random() < _EXPLICIT_EXPAND:
                text = f"{text}.expand({result.shape})"
            texts.append(text)
        return texts

    def _number_operand(self, node: Node, names: Sequence[str]) -> str | None:
        """The second operand of arithmetic, if it is a uniform constant that the first one's shape absorbs."""
        if node.op not in _TAKE_NUMBERS or node.domain or len(names) != 2:
            return None
        left, right = names
        fits = right in self._numbers and left not in self._numbers
        same = self._graph.types[left].shape == self._graph.types[node.outputs[0]].shape
        return right if fits and same and self._rng.random() < 0.7 else None


def _python_names(graph: Graph) -> dict[str, str]:
    """An identifier for every value: its own name where that is one, else a cleaned and numbered form of it."""
    taken = {"self", "torch", "F", "arrays", "_", ""}
    names: dict[str, str] = {}
    for name in graph.types:
        clean = re.sub(r"\W", "_", name)
        if not clean.isidentifier() or keyword.iskeyword(clean):
            clean = f"v_{clean}"
        candidate, number = clean, 1
        while candidate in taken:
            number += 1
            candidate = f"{clean}_{number}"
        taken.add(candidate)
        names[name] = candidate
    return names
