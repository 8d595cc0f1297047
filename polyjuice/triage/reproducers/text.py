"""Assemble the text of a reproducer. The code that calls the compiler comes from the compiler file (``repro``)."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from string import Template
from typing import Any

import numpy as np

from polyjuice.execution import Artifact, changes
from polyjuice.frameworks.expressions import cut, number
from polyjuice.frameworks.onnx import reproducer as onnx_models
from polyjuice.frameworks.python_text import identifiers
from polyjuice.frameworks.rendering import SMALL
from polyjuice.ir import complexes, dtypes, uniform_value
from polyjuice.oracles import Case, Kind, Oracle, Verdict, find, kind_of
from polyjuice.oracles.oracle import ALONE, PAIR, UNCOMPILED
from polyjuice.oracles.zeros import ZEROS
from polyjuice.session import CompilerSession
from polyjuice.triage.reproducers import definitions
from polyjuice.triage.reproducers.arrays import (
    Arrays,
    archive,
    bytes_expression,
    can_embed,
    expected,
    input_name,
    stored_arrays,
)
from polyjuice.triage.reproducers.definitions import SIDE_BY_SIDE, Programs, lowered_name
from polyjuice.wording import visible

__all__ = ["lowered_name", "side_by_side", "texts"]

#: Names that inputs cannot have in the text.
_TAKEN = """
    A ARRAYS B F Path TensorProto a allowed b base64 bytes_of compiled copy difference eager expected form
    gap gradients helper io model np onnx options os output outputs places plain prepare shares side_by_side sys tf told
    torch uncompiled wrong y
"""

_HALF = ("float16", "bfloat16")
"""The types between whose operators a compiler may omit roundings by default."""

CHECK = "# The check:"
"""The beginning of the line behind which a text judges and ends. In front of it is the program."""

_WIDTH = 116
"""The most characters of a line of the verdict's message. A text has two; of an error, which it prints, one."""

_STANDARD = ("base64", "copy", "ctypes", "gc", "io", "subprocess", "sys", "tempfile", "time")
"""Modules of the standard library that parts of the text use."""

_HOOK = "sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run"
"""After any error but the bug, the status is 2."""

_OF_CALLS = {"dynamic", "layouts", "mode", "numbers", "updates"}
"""The keys of a setup that a call in a user's words can have, with those that the compiler has options for."""


def texts(session: CompilerSession, case: Case, verdict: Verdict, artifacts: Sequence[Artifact]) -> list[str]:
    """The texts of ``repro.py`` that may show a verdict, the most readable first.

    ``artifacts`` are the verdict's sides. The first text calls the compiler as its users do, where that is possible.
    The others call `prepare`, which repeats all that the campaign did. The second text writes out small models and
    arrays. The third embeds models as bytes, and needs no package to build them. The last embeds arrays as well, exact
    to the last bit.
    """
    sides = dict(zip("AB", artifacts, strict=False))
    ways = ((True, True, True), (False, True, True), (False, True, False), (False, False, False))
    each = (
        _Text(
            session=session, case=case, verdict=verdict, sides=sides, wants_short=short, inline=inline, built=built
        ).write()
        for short, inline, built in ways
    )
    return list(dict.fromkeys(each))


def side_by_side(session: CompilerSession, case: Case, verdict: Verdict, artifacts: Sequence[Artifact]) -> str:
    """A text that also prints the results of the framework's other backends; "" where it has none, or none are wanted.

    What it prints under the heading ``SIDE_BY_SIDE`` is evidence for the report.
    """
    sides = dict(zip("AB", artifacts, strict=False))
    text = _Text(session=session, case=case, verdict=verdict, sides=sides, beside=True)
    return text.write() if text.backends_of(text.programs)[0] else ""


@dataclass(frozen=True, kw_only=True)
class _Text:
    """One text. ``inline`` writes out small arrays, ``built`` small models. ``beside`` asks other backends."""

    session: CompilerSession
    case: Case
    verdict: Verdict
    sides: Mapping[str, Artifact]
    wants_short: bool = False
    inline: bool = True
    built: bool = True
    beside: bool = False

    @property
    def _kind(self) -> Kind:
        return kind_of(self.verdict.kind)

    @property
    def _oracle(self) -> Oracle:
        return find(self.verdict.oracle)

    @property
    def fails(self) -> bool:
        """Whether the program crashes or hangs."""
        return self._kind.failure

    @property
    def supervised(self) -> bool:
        """Whether the compiler fails without raising an exception."""
        return self.fails and self.case.of(self.verdict.a).outcome.status != "error"

    def write(self) -> str:
        """The whole text: the programs, the call where it is short, and the check."""
        arrays = Arrays(
            format=next(iter(self.sides.values())).format, device=self.session.conditions.device, inline=self.inline
        )
        programs = self.programs
        values = "\n".join([*self._values(arrays, programs), *self._run(programs)])
        models = programs.definitions(arrays, built=self.built)
        if not models[-1].splitlines()[-1].startswith(" "):
            models, values = models[:-1], f"{models[-1]}\n{values}"
        ending = list(self._ending(arrays, programs))
        loading = [self._loading("\n".join([values, *models, *ending]))] if arrays.read else []
        limits = {"limit": int(self.session.conditions.reproducer_s), "on_hang": 1 if self._kind.endless else 2}
        supervision = [definitions.SUPERVISED.substitute(limits)] if self.supervised else []
        wide = self._kind.values and self._dtype() in ("float64", "complex128")  # which may agree in eight digits
        precision = ["np.set_printoptions(precision=17)"] if wide else []
        prepared = [] if programs.short else [self._repro(programs), *programs.before]
        check = [self._claim(), *supervision, *precision, *prepared, *ending]
        body = "\n".join([*loading, values, *models, *check])
        return _joined([self._title(), self._head(body), *loading, *models, values, *check])

    def _head(self, body: str) -> str:
        """The imports that a text needs."""
        own = [line for line in self.session.compiler.repro_imports.splitlines() if line]
        own = [
            line for line in own if _is_needed(line, "\n".join([body, *(x for x in own if _IMPORT.match(x) is None)]))
        ]
        text = "\n".join([body, _HOOK, *own])
        standard = {f"import {name}" for name in _STANDARD if re.search(rf"\b{name}\.", text)}
        standard |= {"from pathlib import Path"} if "Path(" in body else set()
        standard |= {x for x in own if (found := _IMPORT.match(x)) and found[1] in sys.stdlib_module_names}
        others = {"import numpy as np": r"\bnp\.", "import ml_dtypes": "ml_dtypes", "import onnx": r"\bonnx\."}
        needed = [line for line, use in others.items() if re.search(use, text)]
        needed = [line for line in needed if line not in own]
        ordered = sorted(standard, key=lambda line: (line.startswith("from"), line))
        own = [line for line in own if line not in standard]
        first = next((n for n, line in enumerate(own) if _IMPORT.match(line)), 0)
        return "\n".join([*ordered, "", _HOOK, *own[:first], *needed, *own[first:]])

    def _claim(self) -> str:
        """A comment that introduces the check."""
        what = self._kind.claim or self._oracle.claim
        if self.verdict.mistyped:
            what = "An output has another type or shape than the program says."
        if self.case.broken:
            what = "A is not well typed: the compiler must raise an error, and not end the process."
        what = what if what.startswith("A ") else what[0].lower() + what[1:]
        return textwrap.fill(f"{CHECK} {what}", 118, subsequent_indent="# ")

    def _run(self, programs: Programs) -> Iterator[str]:
        """The statements that put the inputs into their memory layouts, and call the programs, in a short text."""
        if not programs.short:
            return
        if any(not programs.options.keys().isdisjoint(artifact.setup) for artifact in programs.artifacts.values()):
            yield from programs.before
        for name, text in zip(programs.inputs, programs.inputs_of(next(iter(programs.artifacts))), strict=False):
            if text != name:
                yield f"{name} = {text}"
        if self.fails:
            return
        for side, artifact in programs.artifacts.items():
            updates = dict(artifact.setup.get("updates", ()))
            if self.verdict.output in updates:
                yield programs.run(side)
                continue
            place = self.verdict.output - sum(number < self.verdict.output for number in updates)
            several = isinstance(artifact.source, bytes) or programs.outputs - len(updates) > 1
            yield f"{side.lower()} = {programs.run(side)}" + (f"[{place}]" if several else "")

    def _loading(self, text: str) -> str:
        constants = [dict(artifact.arrays) for artifact in self.sides.values()]
        stored = stored_arrays(self.case, self.verdict, constants)
        named = [name for name in stored if f'ARRAYS["{name}"]' in text]
        data = archive({name: stored[name] for name in named})
        if not can_embed(data):
            return 'ARRAYS = np.load(Path(__file__).with_name("inputs.npz"))'
        return f"ARRAYS = np.load(io.BytesIO({bytes_expression(data)}))"

    def _repro(self, programs: Programs) -> str:
        compiler = self.session.compiler
        graphs = [self.case.of(self.verdict.a).graph, *(self.case.of(b).graph for b in filter(None, [self.verdict.b]))]
        passed = {t.dtype for graph in graphs for t in (*graph.input_types, *graph.output_types)}
        narrow = not passed.isdisjoint(dtypes.NARROW)
        text = (compiler.repro_narrow if narrow and compiler.repro_narrow else compiler.repro).strip()
        return f"{self._functions()}\n\n\n{text}" if self._functions() else text

    def _functions(self) -> str:
        """The text that teaches the compiler's importer local functions; "" where it needs none."""
        compiler = self.session.compiler
        if not compiler.repro_functions or not any(map(onnx_models.has_functions, self.sides.values())):
            return ""
        text = compiler.path.with_name(compiler.repro_functions).read_text(encoding="utf-8")
        _, _, first, *_ = ast.parse(text).body  # behind the docstring and the import from the future
        return "\n".join(text.splitlines()[first.lineno - 1 :])

    def _title(self) -> str:
        version = self.session.versions.get(self.session.compiler.name, "")
        message = self._message().replace("\\", "\\\\").replace('"""', "'''")
        message = visible(message)
        told = cut(f"{self.session.compiler.name} {version}: {message}", _WIDTH if self.fails else 2 * _WIDTH)
        message = textwrap.fill(told, _WIDTH)
        contract = "Exits 1 where the bug shows, 0 where it does not, 2 where this script could not run."
        return f'"""{message}\n\n{contract}\n"""'

    def _message(self) -> str:
        """The verdict's message, with the sides called A and B."""
        verdict = self.verdict
        if self.fails:
            message = verdict.message.removeprefix(f"{verdict.a} ")
            return f"A {message}" if message != verdict.message else message
        message = verdict.message
        for label, letter in ((verdict.a, "A"), (verdict.b, "B")):
            message = re.sub(rf"(?<![\w.'-]){re.escape(label)}(?![\w(-])", letter, message) if label else message
        return message

    @cached_property
    def programs(self) -> Programs:
        sides = dict(self.sides)
        if self.verdict.mistyped:
            side = "B" if self.verdict.culprit == self.verdict.b and "B" in sides else "A"
            sides = {side: sides[side]}
        elif self.fails:
            sides = {"A": sides["A"]}
        elsewhere = self.fails or (self.verdict.mistyped and self.verdict.culprit != self.verdict.a)
        graph = self.case.of(self.verdict.a).graph
        further = {s: [f"argument_{i}" for i, _ in enumerate(artifact.arguments)] for s, artifact in sides.items()}
        if len({(artifact.arguments, artifact.numbers) for artifact in sides.values()}) > 1:
            further = {s: [f"{name}_of_{s.lower()}" for name in names] for s, names in further.items()}
        taken = re.findall(r"\w+", f"{_TAKEN} {self.session.compiler.repro_imports}")
        (side, artifact), *others = sides.items()
        own = artifact.parameters[len(graph.inputs) :]
        if not others and len(own) == len(further[side]) and {*own}.isdisjoint([*taken, *graph.inputs]):
            further[side] = own
        names = identifiers(graph, {*taken, *(name for names in further.values() for name in names)})
        names.update({graph.inputs[0]: "x"} if len(graph.inputs) == 1 and names[graph.inputs[0]] == "x0" else {})
        programs = Programs(
            artifacts=sides,
            inputs=[names[name] for name in graph.inputs],
            types=graph.input_types,
            arguments=further,
            settings=self._options((self.verdict.level if elsewhere else "") or self.session.conditions.level),
            device=self.session.conditions.device,
            outputs=len(graph.outputs),
        )
        return self._shortened(programs) if self.wants_short else programs

    def _options(self, level: str) -> dict[str, Any]:
        """The keyword arguments of `prepare` for an optimization level, or another change of conditions."""
        options, switched = changes.options(level), self.session.compiler.switched
        parts = options.pop("disable", [])
        return options | ({"without": {name: switched[name] for name in parts} if switched else parts} if parts else {})

    def _shortened(self, programs: Programs) -> Programs:
        """The programs, called as users do where that means the same."""
        compiler, verdict = self.session.compiler, self.verdict
        setups = [artifact.setup for artifact in programs.artifacts.values()]
        compared = self._kind.values and self._oracle.of_case and self._oracle.comparison in (PAIR, ALONE)
        if (
            not compiler.repro_call
            or not (compared or verdict.mistyped or (self.fails and not self.case.broken))
            or programs.settings not in ({}, *({"level": level} for level in compiler.levels[-1:]))
            or programs.device != "cpu"
            or any(
                {key for key, value in setup.items() if value} - _OF_CALLS - {*compiler.repro_options}
                for setup in setups
            )
            or (len(setups) > 1 and any("updates" in setup or setup != setups[0] for setup in setups))
            or len({*map(tuple, programs.arguments.values())}) > 1
        ):
            return programs
        return replace(programs, short=compiler.repro_call, options=compiler.repro_options)

    def _values(self, arrays: Arrays, programs: Programs) -> Iterator[str]:
        inputs = self.case.inputs[self.verdict.inputs]
        for i, (name, array) in enumerate(zip(programs.inputs, inputs, strict=True)):
            yield arrays.assigned(name, input_name(i), array)
        further: dict[str, tuple[str, np.ndarray]] = {}
        numbers: set[str] = set()
        for side, names in programs.arguments.items():
            artifact = self.sides[side]
            further.update(zip(names, ((key, artifact.arrays[key]) for key in artifact.arguments), strict=True))
            numbers.update(names[len(names) - artifact.numbers :])
        for name, (key, array) in further.items():
            yield f"{name} = {array.item()!r}" if name in numbers else arrays.assigned(name, key, array)

    def _ending(self, arrays: Arrays, programs: Programs) -> Iterator[str]:
        verdict = self.verdict
        calls = {side.lower(): programs.call(side) for side in programs.artifacts}
        backends, further = self.backends_of(programs)
        yield from backends
        if self.verdict.mistyped:
            (side,) = calls
            value = side if programs.short else "output"
            due = self.case.of(verdict.a).result_type(verdict.inputs, verdict.output)
            yield definitions.MISTYPED.substitute(
                run="" if programs.short else f"output = {calls[side]}()[{verdict.output}]\n",
                value=value,
                output=verdict.output,
                type=programs.type_of(value, due.dtype),
                dtype=due.dtype,
                shape=list(due.shape),
                further=further,
            )
        elif self._kind.ending:
            yield from self._kind.ending(
                _Sides(**vars(programs), case=self.case, verdict=verdict, further=further, supervised=self.supervised)
            )
        else:
            yield from self._comparison(arrays, programs, calls, further)

    def backends_of(self, programs: Programs) -> tuple[list[str], str]:
        """The framework's other backends: blocks that define their table, and the line that prints it.

        Nothing where the framework has no others, or none are wanted.
        """
        verdict, compiler, kind = self.verdict, self.session.compiler, self._kind
        output = f"outputs[{verdict.output}]"
        if not self.beside or not compiler.side_by_side or self.case.broken:
            return [], ""
        if verdict.mistyped:
            show = f"lambda outputs: ({programs.type_of(output, '')}, list({output}.shape))"
        elif kind.values:
            show = "told" if self._oracle.of_case else ""
        else:
            show = kind.table(verdict)
        if not show:
            return [], ""
        own = "B" if verdict.culprit == verdict.b else "A"
        side = own if own in programs.artifacts else next(iter(programs.artifacts))
        plain, compiled = programs.at_level(side, of_model=kind.keeps_model)
        graph = self.case.of(verdict.b if side == "B" else verdict.a).graph
        halves = any(type.dtype in _HALF for type in graph.types.values())
        names = (*compiler.backends, *(compiler.backends_of_halves if halves else ()))
        expressions = {"plain": plain, "compiled": compiled, "heading": SIDE_BY_SIDE, "backends": names}
        found = [] if kind.keeps_model else [UNCOMPILED]  # which a kind that keeps the model defines anyway
        found.append(Template(compiler.side_by_side.strip()).substitute(expressions))
        if show == "told":
            value = programs.array_of(output, self._dtype())
            told = Template(compiler.told.strip()).substitute(output=verdict.output, value=value, part=self._part())
            found += [f"eager = {plain}()[{verdict.output}]", told]
        return found, f"side_by_side({show})\n"

    def _comparison(self, arrays: Arrays, programs: Programs, calls: Mapping[str, str], further: str) -> Iterator[str]:
        verdict, comparison = self.verdict, self._oracle.comparison
        assert verdict.allowed is not None
        reference = expected(self.case, verdict)
        value = programs.array_of(f"run()[{verdict.output}]", self._dtype())
        of_zeros = verdict.comparison == ZEROS
        plain = reference is not None and _is_plain(reference, verdict.allowed) and not comparison.gap and not of_zeros
        if not programs.short:
            yield definitions.OUTPUT.substitute(value=value)
        wide = "np.complex128" if dtypes.is_complex(self._dtype()) else "np.float64"
        if not plain:
            yield definitions.GAP_OF_ZEROS if of_zeros else definitions.GAP.substitute(wide=wide)
        where = "uncompiled" if of_zeros else "in float64"
        known = [f"expected = {arrays.numpy('expected', reference)}  # {where}"] if reference is not None else []
        yield "\n".join([*known, self._allowed(arrays)])
        if programs.short:
            yield "\n".join(self._results(programs))
        else:
            with_options, options = programs.call("A", "**options"), self._options(verdict.level)
            yield comparison.runs.substitute(calls, a_with_options=with_options, level=verdict.level, options=options)
        other = "b" if comparison.other else "expected"
        if plain:
            difference = f"np.abs(a.astype({wide}) - {other}.astype({wide}))"
            wrong = "~(difference <= allowed)  # a NaN is wrong, too"
        else:
            difference, wrong = f"gap(a, {other})", "difference > allowed"
        judge = definitions.JUDGE.substitute(wrong=wrong, shown="\n".join(self._shown(reference)), further=further)
        yield f"difference = {difference}\n{judge}"

    def _results(self, programs: Programs) -> Iterator[str]:
        """Statements that convert the results of a short text's calls to NumPy arrays."""
        for side, artifact in programs.artifacts.items():
            updates = dict(artifact.setup.get("updates", ()))
            place = updates.get(self.verdict.output)
            name = side.lower() if place is None else [*programs.inputs, *programs.arguments[side]][place]
            if (text := programs.array_of(name, self._dtype())) != f"np.asarray({side.lower()})":
                yield f"{side.lower()} = {text}"

    def _shown(self, reference: np.ndarray | None) -> Iterator[str]:
        verdict = self.verdict
        assert verdict.allowed is not None
        shown = {"a": "A"}
        if other := self._oracle.comparison.other:
            shown["b"] = other.format(level=verdict.level)
        if reference is not None:
            shown["expected"] = "float64"
        width = max(map(len, shown.values())) + 1
        part = self._part()
        for name, label in shown.items():
            yield f'print("{label + ":":{width}}", {name}{part})'

    def _part(self) -> str:
        """An index expression for the elements of an output that are printed."""
        allowed = self.verdict.allowed
        if self.inline and allowed is not None and allowed.size <= SMALL:
            return ".ravel()" if allowed.ndim > 1 else ""
        return "[wrong][:8]"

    def _allowed(self, arrays: Arrays) -> str:
        allowed = self.verdict.allowed
        assert allowed is not None
        why = (
            "the values are exact"
            if self.verdict.comparison == "bitwise"
            else "twice the error bounds of the compared programs"
        )
        if self.verdict.comparison == ZEROS:
            why = "a zero's sign counts"
        why = self._oracle.tolerance or why
        if np.isinf(allowed).any():
            why += "; infinite where elements are not compared"
        shown = allowed
        if arrays.inline:  # three digits, never below the value
            digits = [float(f"{1.005 * x:.2e}") if x else 0.0 for x in allowed.ravel()]
            shown = np.array(digits).reshape(allowed.shape)
        one = uniform_value(shown) is not None
        text = number(shown.reshape(-1)[0]) if one else arrays.numpy("allowed", shown)
        return f"allowed = {text}  # {why}"

    def _dtype(self) -> str:
        return self._oracle.dtype(self.case, self.verdict)


@dataclass(frozen=True, kw_only=True)
class _Sides(Programs):
    """The programs of a reproducer for the ending of a kind (see :class:`polyjuice.oracles.Sides`)."""

    case: Case
    verdict: Verdict
    further: str
    supervised: bool


_IMPORT = re.compile(r"(?:import|from) (\w+)")


def _is_needed(line: str, text: str) -> bool:
    """Whether a text uses what a line imports; True for another statement."""
    if found := re.fullmatch(r"import ([\w.]+)(?: as (\w+))?", line):
        name = found[2] or ".".join(found[1].split(".")[:2])
        return bool(re.search(rf"\b{re.escape(name)}\b", text))
    names = line.partition(" import ")[2].split(", ") if _IMPORT.match(line) else []
    return not names or any(re.search(rf"\b{name}\b", text) for name in names)


def _is_plain(reference: np.ndarray, allowed: np.ndarray) -> bool:
    """Whether float64 can express all differences, without NaN and infinity."""
    wide = np.abs(reference if complexes.is_complex(reference) else np.asarray(reference, np.float64))
    return bool(np.isfinite(allowed).all() and np.isfinite(wide).all() and np.all(wide < 2**53))


def _joined(blocks: Sequence[str]) -> str:
    """Blocks of code with the conventional number of empty lines between them."""
    text, indented, last = "", False, ""
    for block in filter(None, blocks):
        if text:
            close = last.startswith(CHECK) and not block.startswith(("def ", "class "))
            text += "\n" if close else "\n\n\n" if indented or block.startswith(("def ", "class ")) else "\n\n"
        text, last = text + block, block
        indented = block.splitlines()[-1].startswith(" ")
    return text + "\n"
