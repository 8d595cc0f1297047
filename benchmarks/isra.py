"""Measure graphs in Isra's setting: its metrics, the effect of the picking rate, and the distribution of operators.

    python benchmarks/isra.py [--graphs 10000] [--compared 100] [--by-rate 500]

Isra is Ren et al., *Effective Random Test Generation for Deep Learning Compilers*. The setting is that of section IV-B:
65 operators, and graphs of 1 to 200 of them, or 100 for table II. Inputs have ranks 1 to 5, sizes 1 to 5 and one
element type, and nothing is broadcast. Only the solver of nnsmith chooses the sizes of inputs itself. ``--graphs`` is
how many isra makes for table I, ``--compared`` how many each strategy makes, and ``--by-rate`` how many isra makes at
each picking rate. The tables go to artifacts/isra.md.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.gencog import head
from polyjuice.generate import PICKING_RATE, SMALL_STRATEGIES, STRATEGIES, InputTypes, Memory, Suite, generate
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, Op

ARTIFACT = Path(__file__).resolve().parents[1] / "artifacts" / "isra.md"

NAMES = """
Abs Add AveragePool BatchNormalization Ceil Compress Concat Conv Cos Div Elu Erf Exp Expand Flatten Floor Gather Gemm
GlobalAveragePool GlobalMaxPool HardSigmoid Identity LeakyRelu LpPool MatMul Max MaxPool Mean Min Mul Neg PRelu Pad
Reciprocal ReduceL1 ReduceL2 ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu
Reshape Resize Round Selu Sigmoid Sign Sin Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Sub Sum Tanh
ThresholdedRelu Tile Transpose Unsqueeze
"""

OPERATORS = [TABLE["", name] for name in NAMES.split()]

BROADCASTING = ("Add", "Sub", "Mul", "Div", "Sum", "Max", "Min", "Mean", "PRelu")

INPUTS = InputTypes(("float32",), range(1, 6), range(1, 6))

LARGEST, FIXED = 200, 100
"""The largest number of operators of a graph, and that of every graph for table II."""

PAPER = {
    "NOO": "100.9", "NOT": "45.24", "NOP": "103.8", "NTR": "102.9", "NSA": "26.63", "OTC": "100 %", "IDC": "92.95 %",
    "ODC": "11.85", "SEC": "98.27 %", "DEC": "90.21 %", "SAC": "3002", "spread": "0.0029",
    "rarest": "Gemm 1.53 %", "commonest": "Sqrt 1.55 %",
}  # fmt: skip
"""The column Isra of table I (10,000 graphs), and the distribution of figure 4, as the published results have it."""

RATES = {0.5: (51.07, 23.73, 62.86), 0.8: (82.91, 63.99, 42.05), 0.9: (94.34, 83.30, 33.84),
         0.95: (100.17, 94.19, 29.54), 0.97: (102.56, 98.77, 27.77), 0.99: (104.94, 103.57, 25.93)}  # fmt: skip
"""NOP, NTR and NSA by picking rate, in table II (10,000 graphs)."""

TIME = "ms per graph"
SHARES = ("OTC", "IDC", "SEC", "DEC")


def main() -> None:
    """Measure all, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=10_000)
    parser.add_argument("--compared", type=int, default=100)
    parser.add_argument("--by-rate", type=int, default=500)
    parser.add_argument("--table", type=Path, default=ARTIFACT)
    arguments = parser.parse_args()
    compared = [strategy for strategy in STRATEGIES if strategy not in SMALL_STRATEGIES]
    columns = {
        "Isra (paper)": PAPER,
        f"isra, {arguments.graphs:,} graphs": measured("isra", arguments.graphs),
        **{f"{strategy}, {arguments.compared:,}": measured(strategy, arguments.compared) for strategy in compared},
    }
    text = (
        "# Isra's setting\n\nMade by `python benchmarks/isra.py`. The spread is the standard deviation of how often\n"
    )
    text += "the operators occur, divided by the mean.\n\n## Table I, and the distribution of operators\n\n"
    text += head("", [*columns])
    for name in (*PAPER, TIME):
        text += f"| {name} | " + " | ".join(column.get(name, "") for column in columns.values()) + " |\n"
    text += (
        f"\n## Table II: {arguments.by_rate:,} graphs of {FIXED} operators by picking rate, ours and the paper's\n\n"
    )
    text += head("picking rate", ["NOP", "NTR", "NSA"])
    for rate, paper in RATES.items():
        ours = measured("isra", arguments.by_rate, rate, FIXED)
        cells = [f"{ours[name]} / {theirs}" for name, theirs in zip(("NOP", "NTR", "NSA"), paper, strict=True)]
        text += f"| {rate} | " + " | ".join(cells) + " |\n"
    arguments.table.write_text(text, encoding="utf-8")
    print(text)


def measured(strategy: str, count: int, rate: float = PICKING_RATE, nodes: int = 0) -> dict[str, str]:
    """Return the figures of a strategy, by name, for graphs of ``nodes`` operators (0: 1 to 200)."""
    suite, memory, seconds = Suite(op.qualified for op in OPERATORS), Memory(), 0.0
    operators: Counter[str] = Counter({op.qualified: 0 for op in OPERATORS})
    for number in range(count):
        size = nodes or random.Random(number).randint(1, LARGEST)
        began = time.process_time()
        graph = generate(size, f"isra {number}", accepts, None, strategy, memory, OPERATORS, INPUTS, rate)
        seconds += time.process_time() - began
        suite.add(graph)
        operators.update(node.qualified for node in graph.nodes)
    values, total = suite.values(), operators.total()
    ranked = [f"{name} {100 * uses / total:.3g} %" for name, uses in operators.most_common()]
    return {
        **{n: f"{100 * values[n]:.4g} %" if n in SHARES else f"{values[n]:.4g}" for n in PAPER if n in values},
        "spread": f"{statistics.pstdev(operators.values()) / statistics.mean(operators.values()):.2g}",
        "rarest": ranked[-1],
        "commonest": ranked[0],
        TIME: f"{1e3 * seconds / count:.1f}",
    }


def accepts(op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
    """Whether Isra's setting has this application of an operator: no rank above 5, and no broadcasting."""
    first = operands[0]
    if any(t.known and (t.rank not in INPUTS.ranks or 0 in t.shape) for t in (first, *results)):
        return False
    if op.name == "MatMul":
        return operands[1].shape[:-2] == first.shape[:-2]
    return op.name not in BROADCASTING or all(t.shape == first.shape for t in operands)


if __name__ == "__main__":
    main()
