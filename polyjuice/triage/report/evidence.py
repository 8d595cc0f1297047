"""The evidence for a finding, in sentences: why the result is wrong, ruled-out explanations, and its origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import onnx

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles import kind_of
from polyjuice.oracles.case import MISTYPED
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.report import place
from polyjuice.wording import counted

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
    info = place.compiler_of(record)
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
    shown, gone = (place.levels(record, trial) for trial in ("shown", "gone"))
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
