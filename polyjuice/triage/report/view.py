"""A finding as a form tells it: texts, each computed when a form asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from polyjuice.ir import Graph
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.explanation import accountable, default_rules
from polyjuice.triage.record import FindingRecord

#: How many rules a report names that may be why two graphs are equal.
_RULES = 5

#: The longest traceback that is told whole, in characters: a tracker takes 65536 in all.
_TRACEBACK = 6000

#: How many operators a title names.
_NAMED = 4

_TORCH_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
}
"""What ``torch.testing.assert_close`` allows by default: relative and absolute."""

_WHAT = {
    "crash": "The compiler fails on a program that its framework runs.",
    "hang": "The compiler does not finish on a program that its framework runs.",
    "alias": "Compiled, a program shares memory, or writes into inputs, otherwise than uncompiled.",
    "nondeterministic": "A compiled program gives different results from run to run.",
    "slow": "Of two equivalent programs the simpler one compiles to the far slower code.",
    "memory": "Of two equivalent programs the simpler one compiles to code that takes far more memory.",
}
_MISMATCH = {
    "metamorphic": "Two equivalent programs give different results after compilation.",
    "differential": "A program gives wrong results after compilation.",
    "optlevel": "A program gives different results at two optimization levels.",
    "gradient": "Two equivalent programs have different gradients after compilation.",
}
_TITLES = {
    "mismatch": "Wrong result",
    "crash": "Crash",
    "hang": "Hang",
    "alias": "Wrong aliasing",
    "nondeterministic": "Results differ from run to run",
    "slow": "Slow code",
    "memory": "Memory",
}
_EXACTNESS = {
    "exact": "bit for bit",
    "modular": "exactly on integers, and on floats but for rounding",
    "real": "over the real numbers, on floats but for rounding",
}


@dataclass(frozen=True)
class View:
    """What the forms say of a finding. Its sides are called A and B, as in the reproducer."""

    record: FindingRecord
    graphs: Mapping[str, Graph]
    repro: str

    @property
    def title(self) -> str:
        """A line for the issue: what is wrong with which operators."""
        names = list(dict.fromkeys(node.qualified for node in self.graphs[self._shown].nodes))
        listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        return f"{_TITLES[self.record.kind]}: {listed}"

    @property
    def what(self) -> str:
        """The kind of bug, in a sentence or two."""
        record = self.record
        if record.broken:
            return "The compiler does not answer with an error to a program that is not well typed."
        what = _MISMATCH[record.oracle] if record.kind == "mismatch" else _WHAT[record.kind]
        if record.regression:
            what += f" It looks like {record.regression}, which is said to be fixed in this version."
        return what

    @property
    def wrong_side(self) -> str:
        """Which side is wrong, where that is known of two; else ""."""
        record = self.record
        if record.kind != "mismatch" or not record.culprit or len(self.graphs) < 2:
            return ""
        return f"The wrong side is **{record.culprit}** ({self.letters[record.culprit]}): it is farther from float64."

    @property
    def precision(self) -> str:
        """Why rounding does not explain a mismatch; else ""."""
        if self.record.kind != "mismatch" or not self.record.values:
            return ""
        if self.record.rung == "exact":
            return (
                "No rounding is involved: the inputs are integers, and so are all values and partial sums on the way, "
                "each one that its type holds. The result does not depend on the order of operations."
            )
        if self.record.rung == ZEROS:
            return (
                "No rounding is involved: uncompiled, in the program's types and in float64, these elements are zeros "
                "of the other sign."
            )
        bounds = "bounds of both programs, which are derived from their operators"
        if len(self.graphs) < 2:
            bounds = "bound of the program, which is derived from its operators"
        return f"The difference is not one of rounding: it is beyond the error {bounds}, and float64 is the reference."

    @property
    def letters(self) -> dict[str, str]:
        """The sides' labels with their names in the reproducer."""
        return dict(zip((self.record.a, self.record.b), "AB", strict=False))

    @property
    def pair(self) -> dict[str, str]:
        """A heading for each side that is shown, with its listing."""
        return {f"{self.letters[label]} ({self._named(label)})": str(graph) for label, graph in self.graphs.items()}

    def _named(self, label: str) -> str:
        """A side's label; of a program as its owner wrote it also the sizes that it leaves open."""
        idioms = self.record.idioms.get(label, ()) if label in self.record.given else ()
        return ", ".join([label, *(idiom for idiom in idioms if " = " in idiom)])

    @property
    def equal(self) -> list[str]:
        """Why two sides are equal, in paragraphs; nothing where there is one."""
        if len(self.graphs) < 2:
            return []
        return [*self._by_rules(), self._by_interpretation()]

    def _by_rules(self) -> list[str]:
        record = self.record
        known = {rule.name: rule for rule in default_rules()}

        def line(name: str, mathematics: str) -> str:
            holds = f", {_EXACTNESS[known[name].ruleset]}" if name in known else ""
            return f"- `{name}`{f': {mathematics}' if mathematics else ''}{holds}"

        if record.explanation is not None:
            lines = [line(name, mathematics) for name, mathematics in record.explanation.items()]
            if not lines:
                return ["A and B differ in nothing but how broadcasting is written."]
            lead = (
                "One rule makes one of the other:" if len(lines) == 1 else "These rules together make one of the other:"
            )
            return ["\n".join([lead, "", *lines])]
        fired = [known[name] for name in record.rules if name in known]
        own = [name for name in record.rules if name not in known]
        a, b = self.graphs.values()
        likely = [rule.name for rule in accountable(a, b, fired)]
        lines = [line(name, known[name].comment if name in known else "") for name in [*own, *likely][:_RULES]]
        if not lines:
            return []
        lead = "Both were rewritten from one graph. Of the rules applied, these can account for the difference:"
        return ["\n".join([lead, "", *lines])]

    def _by_interpretation(self) -> str:
        further = ", and on other inputs," if self.record.reduction else ""
        return f"An interpreter, in float64, finds A and B equal on these inputs{further} within error bounds."

    @property
    def table(self) -> list[list[str]]:
        """The elements that differ most, a row each, below the heads of the columns; nothing where there are none."""
        rows = self.record.values
        if not rows:
            return []
        labels = list(rows[0]["compiled"])
        plain = list(rows[0]["uncompiled"])
        heads = ["element", *(f"{self.letters[x]} ({x})" for x in labels)]
        heads += [f"{self.letters[x]}, not compiled" for x in plain] + ["float64", "allowed difference"]
        body = [
            [str(row["at"]), *row["compiled"].values(), *row["uncompiled"].values(), row["float64"], row["allowed"]]
            for row in rows
        ]
        return [heads, *body]

    @property
    def blame(self) -> list[str]:
        """What bisection says."""
        return list(self.record.bisection.get("sentences", ())) if self.record.bisection.get("shown") else []

    @property
    def traceback(self) -> str:
        """That of the compiler's error, without its middle where it is long."""
        text = self.record.traceback.strip()
        half = _TRACEBACK // 2
        return text if len(text) <= _TRACEBACK else f"{text[:half]}\n...\n{text[-half:]}"

    @property
    def attachments(self) -> list[str]:
        """The files that must lie beside the reproducer."""
        names = ["inputs.npz", "a.lowered.onnx", "b.lowered.onnx"]
        return [name for name in names if f'"{name}"' in self.repro]

    @property
    def version(self) -> str:
        return self.record.versions.get(self.record.compiler, "")

    @property
    def platform(self) -> str:
        return self.record.versions.get("platform", "")

    @property
    def system(self) -> str:
        """Linux, Windows, macOS."""
        return self.platform.partition("-")[0]

    @property
    def architecture(self) -> str:
        known = {"x86_64": "X64", "AMD64": "X64", "aarch64": "ARM64", "arm64": "ARM64"}
        return next((name for text, name in known.items() if text in self.platform), "Other / Unknown")

    @property
    def device(self) -> str:
        return str(self.record.conditions.get("device", "cpu"))

    @property
    def tolerance(self) -> str:
        """How a mismatch stands to the default tolerances of Torch, in a sentence; "" where that cannot be said."""
        rows = self.record.values
        if not rows or not self.record.culprit:
            return ""
        dtype = self.graphs[self._shown].output_types[self.record.output].dtype
        relative, absolute = _TORCH_TOLERANCES.get(dtype, (0.0, 0.0))
        said = f"`torch.testing.assert_close` allows for {dtype} (rtol={relative:g}, atol={absolute:g})"
        right = {"True": 1.0, "False": 0.0}
        for row in rows:
            got, true = (complex(right.get(x, x)) for x in (row["compiled"][self._shown], row["float64"]))
            if not abs(got - true) <= absolute + relative * abs(true):
                return f"The difference is beyond what {said}."
        return f"**The difference is within what {said}.** Rather do not report it."

    @property
    def random(self) -> bool:
        """Whether a program may draw random numbers."""
        return any(node.identity for graph in self.graphs.values() for node in graph.nodes)

    @property
    def _shown(self) -> str:
        """The label of the side that is wrong, else of the first."""
        return self.record.culprit if self.record.culprit in self.graphs else self.record.a
