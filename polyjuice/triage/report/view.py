"""The texts of a finding for the report's forms, with the evidence; each is computed when a form asks for it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import onnx

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.expressions import cut
from polyjuice.ir import Graph
from polyjuice.oracles import Kind, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles.case import MISTYPED
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.explanation import accountable, default_rules
from polyjuice.triage.listing import Shown, differences, shown
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.report import fault
from polyjuice.triage.report.fault import cut_output, cut_stack
from polyjuice.triage.reproducers.definitions import SIDE_BY_SIDE
from polyjuice.wording import quoted_in_markdown
from polyjuice.wording import counted

#: The most rules that a report names as candidates for why two graphs are equal.
_RULES = 5

#: The most characters of a reproducer in a report: a tracker takes 65536 in all.
_LONGEST_REPRO = 40_000

#: The most characters of a traceback that is shown whole.
_TRACEBACK = 6000

#: The most operators that a title names in place of the program.
_FEW_OPERATORS = 4

#: The most characters of an error in a title.
_ERROR = 100

#: The most characters of an error in the first lines of a report.
_GOT = 400

_TORCH_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
}
"""The default tolerances of ``torch.testing.assert_close``: relative and absolute."""

_USED_FOR = re.compile(r" \(used for ([^)]*)\)")
_AT_LEVEL = re.compile(r"\b(gone|shown|broken) at (\w+)")
"""Where bisection's sentences use Polyjuice's names of a program or a level."""

_MACHINES = {"x86_64": "X64", "AMD64": "X64", "aarch64": "ARM64", "arm64": "ARM64"}
"""The forms' names of the architectures."""

_EXACTNESS = {
    "exact": "bit for bit",
    "modular": "exactly on integers, up to rounding on floats",
    "real": "over the real numbers, up to rounding on floats",
}


@dataclass(frozen=True, kw_only=True)
class View:
    """The texts of a finding for the forms. The sides are called A and B, as in the reproducer."""

    record: FindingRecord
    graphs: Mapping[str, Graph]
    artifacts: Mapping[str, Artifact]
    repro: str

    @property
    def kind(self) -> Kind:
        """The kind of the finding."""
        return kind_of(self.record.kind)

    @property
    def title(self) -> str:
        """A title for the issue: the fault, the pattern, and the part of the compiler."""
        parts = [self._sentence(quote=""), cut(fault.error(self.record), _ERROR)]
        return ": ".join(filter(None, [*parts, " and ".join(fault.parts(self.record))]))

    @property
    def headline(self) -> str:
        """The title as a sentence in Markdown."""
        parts = fault.parts(self.record)
        right = "compiles and runs" if self.kind.failure else "is right"
        blamed = f" Without {' and '.join(f'`{name}`' for name in parts)} it {right}." if parts else ""
        return f"{self._sentence(quote='`')}.{blamed}"

    def _sentence(self, quote: str) -> str:
        """The fault of the program. Operators stand for one that does not fit, where reduction left few of them."""
        few = 0 < len(self.record.pattern) <= _FEW_OPERATORS
        if few and self.record.reduction and ("..." in self.pattern or ";" in self.pattern):
            subject = " ".join(self.record.pattern)
            return f"{quote}{subject}{quote} {fault.predicate(self.record)}{fault.at_level(self.record)}"
        types = {type.dtype for type in self.graphs[self._shown].input_types}
        typed = "" if len(types) != 1 or types == {"float32"} else f" with {types.pop()} inputs"
        return f"{quote}{self.pattern}{quote}{typed} {fault.predicate(self.record)}{fault.at_level(self.record)}"

    @cached_property
    def pattern(self) -> str:
        """The wrong program as one expression of the operators that ran."""
        of_output = self.kind.at_output and find_oracle(self.record.oracle).of_outputs
        return self.wrong.pattern(self.record.output if of_output else None)

    @cached_property
    def _programs(self) -> dict[str, Shown]:
        """The programs by label, without a second one that equals the first."""
        found = {label: shown(artifact) for label, artifact in self.artifacts.items()}
        a, b = next(iter(found.values())), list(found.values())[-1]
        alike = a.listing == b.listing and a.facts == b.facts
        return {self._shown: found[self._shown]} if alike else found

    @cached_property
    def _letters(self) -> dict[str, str]:
        """The letters of the programs that are shown."""
        return {label: letter for label, letter in self.letters.items() if label in self._programs}

    @property
    def wrong(self) -> Shown:
        """The wrong program, else the first."""
        return self._programs[self._shown]

    @property
    def other(self) -> Shown | None:
        """The program that the wrong one is compared with; None where there is only one."""
        return next((program for label, program in self._programs.items() if label != self._shown), None)

    @property
    def names(self) -> list[str]:
        """The names of the wrong program and then of the other one."""
        return [f"Program {self._letters[label]}" for label in self._order]

    @property
    def roles(self) -> list[str]:
        """One sentence on the role of each of two programs."""
        record, (own, other) = self.record, self.names
        if self.kind.failure:
            claims = f"{own} fails.", f"{other} is equivalent, and compiles and runs."
        elif self.kind.costs:
            claims = f"{own} is simpler, but takes more.", f"{other} is equivalent, and takes less."
        elif record.culprit:
            claims = f"{own} is wrong.", f"{other} is equivalent to it."
        else:
            claims = f"{own} is equivalent to {other}.", f"{other} gives different results: one of the two is wrong."
        sizes = ["", self._sizes(self._order[-1])]
        return [" ".join(filter(None, texts)) for texts in zip(claims, sizes, strict=True)]

    @property
    def _order(self) -> list[str]:
        return [self._shown, *(label for label in self._programs if label != self._shown)]

    def _sizes(self, label: str) -> str:
        """A sentence with the sizes that a program leaves open, for a program as its owner wrote it."""
        idioms = self.record.idioms.get(label, ()) if label in self.record.given else ()
        sizes = [idiom for idiom in idioms if " = " in idiom]
        return f"Its sizes are symbolic; here {', '.join(sizes)}." if sizes else ""

    @property
    def sizes(self) -> str:
        """A sentence with the sizes that the wrong program leaves open; "" where there are none."""
        return self._sizes(self._shown)

    @property
    def differences(self) -> list[str]:
        """The differences between the two programs."""
        programs = [self._programs[label] for label in self._letters]
        return differences(*programs) if len(programs) > 1 else []

    @property
    def inputs(self) -> str:
        """The values of the inputs, where they are small."""
        inputs = self.record.result.get("inputs") or {}
        texts = [f"`{quoted_in_markdown(name)}` = `{text}`" for name, text in inputs.items()]
        return ", ".join(texts) if all(inputs.values()) else ""

    @property
    def expected(self) -> str:
        """The expected result, in a few words."""
        record, result = self.record, self.record.result
        if record.broken:
            return "an error"
        if self.kind.failure:
            return "it compiles and runs"
        if record.comparison == MISTYPED and result.get("due_type"):
            return _typed(result["due_type"])
        if self.kind.expected:
            return self.kind.expected
        if result.get("expected"):
            return f"`{result['expected']}`"
        return self._element("float64")

    @property
    def got(self) -> str:
        """The actual result, in a few words."""
        record, result = self.record, self.record.result
        if self.kind.failure:
            return cut(fault.error(record) or record.message, _GOT)
        if record.comparison == MISTYPED and result.get("got_type"):
            return _typed(result["got_type"])
        if self.kind.expected:
            return fault.without_label(record)
        if result.get("got"):
            return f"`{result['got']}`"
        found = self._element("compiled")
        if found and result.get("elements"):
            found += f"; {result['wrong']} of {result['elements']} elements are wrong"
        return found

    def _element(self, key: Literal["compiled", "float64"]) -> str:
        """The element that differs most."""
        row = next(iter(self.record.values), None)
        if row is None:
            return ""
        found = row[key]
        value = found if isinstance(found, str) else found.get(self._shown, "")
        return f"`{value}` at {row['at']}"

    @property
    def why(self) -> str:
        """Why the result is wrong, in a sentence or two."""
        return why(self.record, self.artifacts[self._shown].format, self._letters)

    @property
    def ruled_out(self) -> list[str]:
        """The explanations that were ruled out, one sentence each."""
        return ruled_out(self.record, self.artifacts, self._letters)

    @property
    def how_found(self) -> list[str]:
        """How the finding was found, and which known bug it resembles."""
        sentences = [how_found(self.record)]
        if self.record.regression:
            sentences.append(f"It looks like {self.record.regression}, which should be fixed in this version.")
        return sentences

    @property
    def letters(self) -> dict[str, str]:
        """The sides' labels with their names in the reproducer."""
        return dict(zip((self.record.a, self.record.b), "AB", strict=False))

    @property
    def equal(self) -> list[str]:
        """Why two sides are equal, in paragraphs; nothing where there is one side."""
        if len(self.graphs) < 2:
            return []
        return self._by_rules()

    def _by_rules(self) -> list[str]:
        record = self.record
        known = {rule.name: rule for rule in default_rules()}

        def line(name: str, mathematics: str) -> str:
            holds = f", {_EXACTNESS[known[name].ruleset]}" if name in known else ""
            return f"- `{name}`{f': {mathematics}' if mathematics else ''}{holds}"

        if record.explanation is not None:
            lines = [line(name, mathematics) for name, mathematics in record.explanation.items()]
            if not lines:
                return ["No rule is needed: A and B are two ways to write the same computation."]
            lead = (
                "One rule rewrites one to the other:"
                if len(lines) == 1
                else "These rules together rewrite one to the other:"
            )
            return ["\n".join([lead, "", *lines])]
        fired = [known[name] for name in record.rules if name in known]
        own = [name for name in record.rules if name not in known]
        a, b = self.graphs.values()
        likely = [rule.name for rule in accountable(a, b, fired)]
        lines = [line(name, known[name].comment if name in known else "") for name in [*own, *likely][:_RULES]]
        if not lines:
            return []
        lead = "Polyjuice rewrote both from one graph. These applied rules may explain the difference:"
        return ["\n".join([lead, "", *lines])]

    @property
    def table(self) -> list[list[str]]:
        """The elements that differ most, one row each, after a row of column heads; empty where there are none."""
        rows = self.record.values
        if not rows:
            return []
        labels = list(rows[0]["compiled"])
        plain = list(rows[0]["uncompiled"])
        heads = ["element", *(self.letters[x] for x in labels)]
        heads += [f"{self.letters[x]}, not compiled" for x in plain] + ["float64", "allowed difference"]
        body = [
            [str(row["at"]), *row["compiled"].values(), *row["uncompiled"].values(), row["float64"], row["allowed"]]
            for row in rows
        ]
        return [heads, *body]

    @property
    def blame(self) -> list[str]:
        """The sentences of bisection, with the forms' names of programs and levels."""
        sentences = self.record.bisection.get("sentences", ()) if self.record.bisection.get("shown") else ()
        sentences = [_USED_FOR.sub(self._used_for, sentence) for sentence in sentences]
        sentences = [_AT_LEVEL.sub(self._at_level, sentence) for sentence in sentences]
        not_isolated = any("not isolated" in sentence.lower() for sentence in sentences)
        open_ = fault.is_isolated(self.record) is False and not not_isolated
        return [*sentences, "The part of the compiler at fault is not isolated."] if open_ else sentences

    def _used_for(self, match: re.Match[str]) -> str:
        """The letters of the programs that the compiler used a part for; nothing where there is only one program."""
        labels = [label for label in match[1].split(" and ") if label in self._letters]
        return f" (used for {' and '.join(map(self._letters.__getitem__, labels))})" if len(self._letters) > 1 else ""

    def _at_level(self, match: re.Match[str]) -> str:
        return f"{match[1]} at {fault.level_name(self.record.compiler, match[2])}"

    @property
    def traceback(self) -> str:
        """The traceback of the compiler's error, without unimportant frames, and shortened."""
        text = cut_stack(self.record.traceback)
        half = _TRACEBACK // 2
        return text if len(text) <= _TRACEBACK else f"{text[:half]}\n...\n{text[-half:]}"

    @property
    def side_by_side(self) -> str:
        """The reproducer's table of the framework's backends; "" where it has none."""
        _, _, table = self.record.printed.partition(f"{SIDE_BY_SIDE}\n")
        return textwrap.dedent("\n".join(line for line in table.splitlines() if line.startswith("  ")))

    @property
    def printed(self) -> str:
        """The reproducer's output."""
        return cut_output(self.record.printed)

    @property
    def attachments(self) -> list[str]:
        """The files to attach: those that the reproducer reads, and the reproducer itself if it is too long."""
        names = ["inputs.npz", "a.lowered.onnx", "b.lowered.onnx"]
        return [*([] if self.shows_repro else ["repro.py"]), *(name for name in names if f'"{name}"' in self.repro)]

    @property
    def shows_repro(self) -> bool:
        """Whether the report contains the reproducer."""
        return len(self.repro) <= _LONGEST_REPRO

    @property
    def environment(self) -> str:
        """The versions in one line."""
        versions = self.record.versions
        rest = [f"Python {versions['python']}"] if "python" in versions else []
        system = " ".join(text for text in (self.system, self.machine) if text)
        product = registry.find(self.artifacts[self._shown].format).product or self.record.compiler
        return ", ".join([f"{product} {self.version}", *rest, system, self.device])

    @property
    def machine(self) -> str:
        """The processor's architecture, as Python names it."""
        return next((name for name in _MACHINES if name in self.platform), "")

    @property
    def version(self) -> str:
        """The compiler's version."""
        return self.record.versions.get(self.record.compiler, "")

    @property
    def platform(self) -> str:
        """The platform, as Python names it."""
        return self.record.versions.get("platform", "")

    @property
    def system(self) -> str:
        """The operating system: Linux, Windows or macOS."""
        return self.platform.partition("-")[0]

    @property
    def architecture(self) -> str:
        """The processor's architecture, as the forms name it."""
        return _MACHINES.get(self.machine, "Other / Unknown")

    @property
    def device(self) -> str:
        """The device on which the programs ran."""
        return str(self.record.conditions.get("device", "cpu"))

    @property
    def tolerance(self) -> str:
        """A sentence that compares a mismatch with Torch's default tolerances; "" where that is not possible."""
        rows = self.record.values
        if not rows or not self.record.culprit:
            return ""
        dtype = self.graphs[self._shown].output_types[self.record.output].dtype
        relative, absolute = _TORCH_TOLERANCES.get(dtype, (0.0, 0.0))
        tolerances = f"`torch.testing.assert_close` allows for {dtype} (rtol={relative:g}, atol={absolute:g})"
        right = {"True": 1.0, "False": 0.0}
        for row in rows:
            got, true = (complex(right.get(x, x)) for x in (row["compiled"][self._shown], row["float64"]))
            if not abs(got - true) <= absolute + relative * abs(true):
                return f"The difference is beyond what {tolerances}."
        return f"**The difference is within what {tolerances}.** Do not report it."

    @property
    def random(self) -> bool:
        """Whether a program may draw random numbers."""
        return any(node.identity for graph in self.graphs.values() for node in graph.nodes)

    @property
    def _shown(self) -> str:
        """The label of the wrong side, else of the first."""
        return self.record.culprit if self.record.culprit in self.graphs else self.record.a


def _typed(type: tuple[str, Sequence[int]]) -> str:
    dtype, shape = type
    return f"{dtype}{list(shape)}"


#: The largest model, in bytes, to pass to ONNX's checker.
_LARGEST_CHECKED = 2**24


def why(record: FindingRecord, format: str, letters: Mapping[str, str]) -> str:
    """Why the result is a fault, in a few sentences."""
    unique = str(record.result.get("unique", ""))
    return " ".join(filter(None, [_why(record, format, letters), unique]))


def _why(record: FindingRecord, format: str, letters: Mapping[str, str]) -> str:
    if record.broken:
        return f"The program breaks a rule on purpose ({record.broken}): it should raise an error, not end the process."
    kind = kind_of(record.kind)
    if kind.failure:
        return _why_of_failure(record, format, letters)
    if not kind.values:
        return kind.why
    return _why_of_mismatch(record)


def _why_of_failure(record: FindingRecord, format: str, letters: Mapping[str, str]) -> str:
    info = fault.compiler_of(record)
    valid = (info and info.valid) or registry.find(format).valid
    if not record.b:
        return valid
    named = f", {letters[record.b]}," if record.b in letters else ""
    return f"{valid} An equivalent program{named} compiles and runs."


def _why_of_mismatch(record: FindingRecord) -> str:
    if record.comparison == MISTYPED:
        return "The program determines the element type and the shape of its result; no value need be compared."
    if record.comparison == "bitwise":
        return (
            "No rounding is involved: all inputs, values and partial sums are integers that their types can hold. "
            "The order of operations does not matter."
        )
    if record.comparison == ZEROS:
        return "No rounding is involved: the uncompiled run and float64 agree on the sign of these zeros."
    if record.comparison == "uncompiled":
        return "The framework itself gives the expected result: uncompiled, in the program's types, and in float64."
    return find_oracle(record.oracle).why or (
        "The difference is larger than rounding: it is beyond the error bound of the operators, with float64 as "
        "the reference."
    )


def ruled_out(record: FindingRecord, artifacts: Mapping[str, Artifact], letters: Mapping[str, str]) -> list[str]:
    """The explanations that were ruled out, one sentence each."""
    return [
        *_levels(record),
        *_uncompiled(record),
        *_validity(record, artifacts),
        *_equivalence(record, letters),
        *_chance(record),
    ]


def _levels(record: FindingRecord) -> Iterator[str]:
    shown, gone = (fault.levels(record, trial) for trial in ("shown", "gone"))
    if gone:
        yield f"Lower optimization levels: it does not show at {_listed(gone)}."
    elif shown:
        yield f"Optimizations: it already shows at {_listed(shown)}, the lowest level."


def _uncompiled(record: FindingRecord) -> Iterator[str]:
    side = record.culprit or record.a
    texts = [(row["uncompiled"].get(side), row["float64"], row["allowed"]) for row in record.values]
    if texts and all(plain is not None and _is_near(plain, due, allowed) for plain, due, allowed in texts):
        yield "The framework itself: uncompiled, the same program gives the expected result."


def _validity(record: FindingRecord, artifacts: Mapping[str, Artifact]) -> Iterator[str]:
    sources = [artifact.source for artifact in artifacts.values() if isinstance(artifact.source, bytes)]
    small = all(len(source) <= _LARGEST_CHECKED for source in sources)
    if sources and small and not record.broken and all(map(_is_checked, sources)):
        models = "the models" if len(sources) > 1 else "the model"
        yield f"An invalid model: `onnx.checker.check_model(model, full_check=True)` accepts {models}."


def _equivalence(record: FindingRecord, letters: Mapping[str, str]) -> Iterator[str]:
    if len(letters) > 1 and not kind_of(record.kind).failure:
        further = ", and on other random inputs," if record.reduction else ""
        yield (
            "Programs that are not equivalent: an interpreter, in float64, finds A and B equal on these "
            f"inputs{further} within error bounds."
        )


def _chance(record: FindingRecord) -> Iterator[str]:
    if not kind_of(record.kind).by_chance:
        also = ", and in the reproducer" if record.repro_exit == 1 else ""
        yield f"Chance: it showed in each of three fresh processes{also}."


def how_found(record: FindingRecord) -> str:
    """The program that found it, and the case of its campaign."""
    sentence = "Found by Polyjuice, a fuzzer for tensor compilers: "
    sentence += f"case {record.index} of a campaign with seed {record.seed}"
    if record.profile:
        sentence += f", with inputs of the profile `{record.profile}`"
    before, after = (record.reduction.get(key) or {} for key in ("operators_before", "operators_after"))
    if before and after and max(before.values()) > max(after.values()):
        sentence += f". Reduced from {counted(max(before.values()), 'operator')} to {max(after.values())}"
    return sentence + "."


def _listed(names: Sequence[str]) -> str:
    texts = [f"`{name}`" for name in names]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _is_near(text: str, due: str, allowed: str) -> bool:
    if text == due:
        return True
    try:
        return abs(complex(text) - complex(due)) <= float(allowed)
    except ValueError:  # True and False
        return False


def _is_checked(source: bytes) -> bool:
    """Whether ONNX's checker accepts a model, with all types inferred."""
    try:
        onnx.checker.check_model(onnx.load_from_string(source), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, RuntimeError, ValueError):
        return False
    return True
