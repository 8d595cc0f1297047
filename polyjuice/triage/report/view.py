"""The texts of a finding for the report's forms, with the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import onnx

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.expressions import cut
from polyjuice.ir import Graph
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles import kind_of
from polyjuice.oracles.case import MISTYPED
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.explanation import accountable, default_rules
from polyjuice.triage.listing import Shown, differences, shown
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.report import fault
from polyjuice.triage.report.fault import cut_output, cut_stack
from polyjuice.triage.report.values import table_rows
from polyjuice.triage.reproducers.text import CHECK
from polyjuice.wording import counted, quoted_in_markdown

#: The most rules that a report names as candidates for why two graphs are equal.
_RULES = 5

#: The largest model, in bytes, to pass to ONNX's checker.
_LARGEST_CHECKED = 2**24

#: The most characters of a reproducer in a report: a tracker takes 65536 in all.
_LONGEST_REPRO = 40_000

#: The most characters of a traceback that is shown whole.
_TRACEBACK = 6000

#: The most characters of a program that a title shows; it names the operators of a longer one, if they are few.
_SHORT, _FEW_OPERATORS = 50, 4

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


def view(
    record: FindingRecord, graphs: Mapping[str, Graph], artifacts: Mapping[str, Artifact], repro: str
) -> dict[str, Any]:
    """The texts of a finding for the forms, by name. The sides are called A and B, as in the reproducer."""
    kind, oracle = kind_of(record.kind), find_oracle(record.oracle)
    wrong = record.culprit if record.culprit in graphs else record.a
    programs = {label: shown(artifact) for label, artifact in artifacts.items()}
    first, last = next(iter(programs.values())), list(programs.values())[-1]
    if first.listing == last.listing and first.facts == last.facts:  # a second program that equals the first
        programs = {wrong: programs[wrong]}
    letters = dict(zip((record.a, record.b), "AB", strict=False))
    here = {label: letter for label, letter in letters.items() if label in programs}
    other = next((label for label in programs if label != wrong), "")
    pattern = programs[wrong].pattern(record.output if kind.at_output and oracle.of_outputs else None)
    subject = _subject(programs[wrong], pattern)
    parts = fault.parts(record)
    right = "compiles and runs" if kind.failure else "is right"
    blamed = f" Without {' and '.join(f'`{name}`' for name in parts)} it {right}." if parts else ""
    change = str((record.reduction.get("nearest") or {}).get("change", ""))
    blamed += f" The same program {right} {change}." if change else ""
    error = cut(fault.error(record), _ERROR)
    small = record.result.get("inputs") or {}
    inputs = [f"`{quoted_in_markdown(name)}` = `{text}`" for name, text in small.items()]
    platform = record.versions.get("platform", "")
    system = platform.partition("-")[0]
    machine = next((name for name in _MACHINES if name in platform), "")
    version = record.versions.get(record.compiler, "")
    product = registry.find(artifacts[wrong].format).product or record.compiler
    python = [f"Python {record.versions['python']}"] if "python" in record.versions else []
    device = str(record.conditions.get("device", "cpu"))
    trace = cut_stack(record.traceback)
    if len(trace) > _TRACEBACK:
        trace = f"{trace[: _TRACEBACK // 2]}\n...\n{trace[-_TRACEBACK // 2 :]}"
    is_short = len(repro) <= _LONGEST_REPRO
    files = [name for name in ("inputs.npz", "a.lowered.onnx", "b.lowered.onnx") if f'"{name}"' in repro]
    similar = [f"It shows a known bug: {record.known}."] * bool(record.known)
    similar += [f"It looks like {record.regression}, which should be fixed in this version."] * bool(record.regression)
    return {
        "record": record,
        "kind": kind,
        "title": ": ".join(
            filter(None, [_sentence(record, graphs[wrong], subject).replace("`", ""), error, " and ".join(parts)])
        ),
        "headline": f"{_sentence(record, graphs[wrong], subject)}.{blamed}",
        "wrong": programs[wrong],
        "lists_program": not is_short or f"\n{CHECK}" not in repro or "base64" in repro.partition(f"\n{CHECK}")[0],
        "evidence": _listed_evidence(record, bool(other)),
        "other": programs.get(other),
        "roles": _roles(record, here[wrong], here[other], _sizes(record, other)) if other else [],
        "sizes": _sizes(record, wrong),
        "differences": differences(*(programs[label] for label in here)) if other else [],
        "inputs": ", ".join(inputs) if all(small.values()) else "",
        "expected": _expected(record, wrong),
        "got": _got(record, wrong),
        "why": " ".join(filter(None, [_why(record, artifacts[wrong].format, here), record.result.get("unique", "")])),
        "ruled_out": list(_ruled_out(record, artifacts, here)),
        "how_found": [_how_found(record), *similar],
        "equal": _by_rules(record, *graphs.values()) if len(graphs) > 1 else [],
        "table": _table(record, letters),
        "blame": _blame(record, here),
        "traceback": trace,
        "side_by_side": record.backends,
        "printed": cut_output(record.printed),
        "repro": repro,
        "shows_repro": is_short,
        "attachments": [*([] if is_short else ["repro.py"]), *files],
        "environment": ", ".join([f"{product} {version}", *python, f"{system} {machine}".strip(), device]),
        "version": version,
        "platform": platform,
        "system": system,
        "architecture": _MACHINES.get(machine, "Other / Unknown"),
        "tolerance": partial(_tolerance, record, graphs[wrong], wrong),
        "random": any(node.identity for graph in graphs.values() for node in graph.nodes),
    }


def _subject(program: Shown, pattern: str) -> str:
    """What a title calls a program: its expression where that is short, else its operators."""
    names = program.names
    if 0 < len(pattern) <= _SHORT and not re.search(r"\.\.\.|;", pattern):
        return f"`{pattern}`"
    if len(names) > _FEW_OPERATORS:
        some = ", ".join(f"`{name}`" for name in names[: _FEW_OPERATORS - 1])
        return f"a program of {some} and {len(names) - _FEW_OPERATORS + 1} more operators"
    first, *others = [f"`{name}`" for name in names] or ["a program"]
    return f"{first} with {' and '.join(others)}" if others else first


def _sentence(record: FindingRecord, graph: Graph, subject: str) -> str:
    """The fault of a program, with the form that matters where that is not an operator."""
    types = {type.dtype for type in graph.input_types}
    typed = f" of {types.pop()}" if len(types) == 1 and types != {"float32"} else ""
    form = str((record.reduction.get("nearest") or {}).get("form", ""))
    return f"{subject}{typed}{f' with {form}' if form else ''} {fault.predicate(record)}{fault.at_level(record)}"


def _listed_evidence(record: FindingRecord, pair: bool) -> str:
    """What the folded part of a report holds, in a few words."""
    found = ["an equivalent program"] * pair + ["bisection"] * bool(record.bisection.get("shown"))
    return ", ".join([*found, "what was ruled out", "how it was found"])


def _roles(record: FindingRecord, own: str, other: str, sizes: str) -> list[str]:
    """One sentence on the role of each of two programs, by their letters; the second with its sizes."""
    kind = kind_of(record.kind)
    if kind.failure:
        first, second = "fails.", "is equivalent, and compiles and runs."
    elif kind.costs:
        first, second = "is simpler, but takes more.", "is equivalent, and takes less."
    elif record.culprit:
        first, second = "is wrong.", "is equivalent to it."
    else:
        first, second = f"is equivalent to Program {other}.", "gives different results: one of the two is wrong."
    return [f"Program {own} {first}", f"Program {other} {second} {sizes}".strip()]


def _sizes(record: FindingRecord, label: str) -> str:
    """A sentence with the sizes that a program leaves open, for a program as its owner wrote it."""
    idioms = record.idioms.get(label, ()) if label in record.user_program else ()
    sizes = [idiom for idiom in idioms if " = " in idiom]
    return f"Its sizes are symbolic; here {', '.join(sizes)}." if sizes else ""


def _expected(record: FindingRecord, wrong: str) -> str:
    kind, result = kind_of(record.kind), record.result
    if record.broken:
        return "an error"
    if kind.failure:
        return "it compiles and runs"
    if record.comparison == MISTYPED and result.get("due_type"):
        return _typed(result["due_type"])
    if kind.expected:
        return kind.expected
    return f"`{result['expected']}`" if result.get("expected") else _element(record, "float64", wrong)


def _got(record: FindingRecord, wrong: str) -> str:
    kind, result = kind_of(record.kind), record.result
    if kind.failure:
        return cut(fault.error(record) or record.message, _GOT)
    if record.comparison == MISTYPED and result.get("got_type"):
        return _typed(result["got_type"])
    if kind.expected:
        return fault.without_label(record)
    if result.get("got"):
        return f"`{result['got']}`"
    found = _element(record, "compiled", wrong)
    if found and result.get("elements"):
        found += f"; {result['wrong']} of {result['elements']} elements are wrong"
    return found


def _typed(type: tuple[str, Sequence[int]]) -> str:
    dtype, shape = type
    return f"{dtype}{list(shape)}"


def _element(record: FindingRecord, key: Literal["compiled", "float64"], wrong: str) -> str:
    """The element that differs most; "" where there is none."""
    for row in record.values[:1]:
        found = row[key]
        return f"`{found if isinstance(found, str) else found.get(wrong, '')}` at {row['at']}"
    return ""


def _by_rules(record: FindingRecord, a: Graph, b: Graph) -> list[str]:
    """Why two graphs are equal, in paragraphs."""
    known = {rule.name: rule for rule in default_rules()}

    def lines(mathematics: Mapping[str, str]) -> list[str]:
        holds = {name: f", {_EXACTNESS[known[name].ruleset]}" for name in mathematics if name in known}
        return [f"- `{name}`{f': {text}' if text else ''}{holds.get(name, '')}" for name, text in mathematics.items()]

    if record.explanation is not None:
        if not record.explanation:
            return ["No rule is needed: A and B are two ways to write the same computation."]
        one = len(record.explanation) == 1
        lead = "One rule rewrites one to the other:" if one else "These rules together rewrite one to the other:"
        return ["\n".join([lead, "", *lines(record.explanation)])]
    own = [name for name in record.rules if name not in known]
    likely = [rule.name for rule in accountable(a, b, [known[name] for name in record.rules if name in known])]
    if not (names := [*own, *likely][:_RULES]):
        return []
    lead = "Polyjuice rewrote both from one graph. These applied rules may explain the difference:"
    return ["\n".join([lead, "", *lines({name: known[name].comment if name in known else "" for name in names})])]


def _table(record: FindingRecord, letters: Mapping[str, str]) -> list[list[str]]:
    """The elements that differ most, one row each, after a row of column heads; empty where there are none."""
    if not record.values:
        return []
    heads = ["element", *(letters[label] for label in record.values[0]["compiled"])]
    heads += [f"{letters[label]}, not compiled" for label in record.values[0]["uncompiled"]]
    return [[*heads, "float64", "allowed difference"], *table_rows(record)]


def _blame(record: FindingRecord, letters: Mapping[str, str]) -> list[str]:
    """The sentences of bisection, with the forms' names of programs and levels."""

    def used_for(match: re.Match[str]) -> str:
        labels = [letters[label] for label in match[1].split(" and ") if label in letters]
        return f" (used for {' and '.join(labels)})" if len(letters) > 1 else ""

    def at_level(match: re.Match[str]) -> str:
        return f"{match[1]} at {fault.level_name(record.compiler, match[2])}"

    sentences = record.bisection.get("sentences", ()) if record.bisection.get("shown") else ()
    found = [_AT_LEVEL.sub(at_level, _USED_FOR.sub(used_for, sentence)) for sentence in sentences]
    if fault.is_isolated(record) is False and not any("not isolated" in sentence.lower() for sentence in found):
        found.append("The part of the compiler at fault is not isolated.")
    return found


def _tolerance(record: FindingRecord, graph: Graph, wrong: str) -> str:
    """A sentence that compares a mismatch with Torch's default tolerances; "" where that is not possible."""
    if not record.values or not record.culprit:
        return ""
    dtype = graph.output_types[record.output].dtype
    relative, absolute = _TORCH_TOLERANCES.get(dtype, (0.0, 0.0))
    tolerances = f"`torch.testing.assert_close` allows for {dtype} (rtol={relative:g}, atol={absolute:g})"
    right = {"True": 1.0, "False": 0.0}
    for row in record.values:
        got, true = (complex(right.get(x, x)) for x in (row["compiled"][wrong], row["float64"]))
        if not abs(got - true) <= absolute + relative * abs(true):
            return f"The difference is beyond what {tolerances}."
    return f"**The difference is within what {tolerances}.** Do not report it."


def _why(record: FindingRecord, format: str, letters: Mapping[str, str]) -> str:
    """Why the result is a fault, in a sentence or two."""
    kind = kind_of(record.kind)
    if record.broken:
        return f"The program breaks a rule on purpose ({record.broken}): it should raise an error, not end the process."
    if kind.failure:
        valid = fault.valid(record) or registry.find(format).valid
        named = f", {letters[record.b]}," if record.b in letters else ""
        return f"{valid} An equivalent program{named} compiles and runs." if record.b else valid
    if not kind.values:
        return kind.why
    return _WHY.get(record.comparison) or find_oracle(record.oracle).why or _BEYOND_ROUNDING


_WHY = {
    MISTYPED: "The program determines the element type and the shape of its result; no value need be compared.",
    "bitwise": "No rounding is involved: all inputs, values and partial sums are integers that their types can hold. "
    "The order of operations does not matter.",
    ZEROS: "No rounding is involved: the uncompiled run and float64 agree on the sign of these zeros.",
    "uncompiled": "The framework itself gives the expected result: uncompiled, in the program's types, and in float64.",
}
"""Why a mismatch is a fault, by how results were compared."""

_BEYOND_ROUNDING = (
    "The difference is larger than rounding: it is beyond the error bound of the operators, with float64 as "
    "the reference."
)


def _ruled_out(record: FindingRecord, artifacts: Mapping[str, Artifact], letters: Mapping[str, str]) -> Iterator[str]:
    """Yield the explanations that were ruled out, one sentence each."""
    kind = kind_of(record.kind)
    shown, gone = (fault.levels(record, trial) for trial in ("shown", "gone"))
    if gone:
        yield f"Lower optimization levels: it does not show at {_listed(gone)}."
    elif shown:
        yield f"Optimizations: it already shows at {_listed(shown)}, the lowest level."
    side = record.culprit or record.a
    texts = [(row["uncompiled"].get(side), row["float64"], row["allowed"]) for row in record.values]
    if texts and all(plain is not None and _is_near(plain, due, allowed) for plain, due, allowed in texts):
        yield "The framework itself: uncompiled, the same program gives the expected result."
    sources = [artifact.source for artifact in artifacts.values() if isinstance(artifact.source, bytes)]
    small = all(len(source) <= _LARGEST_CHECKED for source in sources)
    if sources and small and not record.broken and all(map(_is_checked, sources)):
        models = "the models" if len(sources) > 1 else "the model"
        yield f"An invalid model: `onnx.checker.check_model(model, full_check=True)` accepts {models}."
    if len(letters) > 1 and not kind.failure:
        further = ", and on other random inputs," if record.reduction else ""
        yield (
            "Programs that are not equivalent: an interpreter, in float64, finds A and B equal on these "
            f"inputs{further} within error bounds."
        )
    if not kind.by_chance:
        also = ", and in the reproducer" if record.repro_exit == 1 else ""
        yield f"Chance: it showed in each of three fresh processes{also}."


def _how_found(record: FindingRecord) -> str:
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
