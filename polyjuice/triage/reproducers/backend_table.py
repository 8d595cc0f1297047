"""A reproducer's table of the framework's backends, from the uncompiled program to the whole compiler."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template

from polyjuice.compilers import CompilerInfo
from polyjuice.oracles import Kind, Verdict, find, kind_of
from polyjuice.oracles.oracle import UNCOMPILED
from polyjuice.triage.reproducers import endings
from polyjuice.triage.reproducers.definitions import Programs


@dataclass(frozen=True, kw_only=True)
class Backends:
    """The table for one side of a verdict. ``halves`` tells whether its program has half types.

    ``value`` is Python code for the array of ``outputs`` that shows the fault, and ``part`` selects the elements to
    print.
    """

    programs: Programs
    verdict: Verdict
    side: str
    compiler: CompilerInfo
    halves: bool
    value: str
    part: str

    @property
    def definitions(self) -> list[str]:
        """Blocks that define the table; none where there is nothing to compare."""
        if not self._show:
            return []
        plain, compiled = self._runs
        names = (*self.compiler.backends, *(self.compiler.backends_of_halves if self.halves else ()))
        expressions = {"plain": plain, "compiled": compiled, "heading": endings.SIDE_BY_SIDE}
        found = [Template(self.compiler.side_by_side.strip()).substitute(expressions, backends=names)]
        if not self._kind.keeps_model:  # which defines it anyway
            found.insert(0, UNCOMPILED)
        if self._show == "told":
            output = self.verdict.output
            told = Template(self.compiler.told.strip())
            found += [f"eager = {plain}()[{output}]"]
            found += [told.substitute(output=output, value=self.value, part=self.part)]
        return found

    @property
    def call(self) -> str:
        """The line that prints the table, or ""."""
        return f"side_by_side({self._show})\n" if self._show else ""

    @property
    def _runs(self) -> tuple[str, str]:
        return self.programs.at_level(self.side, of_model=self._kind.keeps_model)

    @property
    def _show(self) -> str:
        """An expression for a function that describes a backend's outputs; "" where there is none."""
        verdict, output = self.verdict, f"outputs[{self.verdict.output}]"
        if verdict.mistyped:
            return f"lambda outputs: ({self.programs.type_of(output, '')}, list({output}.shape))"
        if self._kind.values:
            return "told" if find(verdict.oracle).of_case else ""
        return self._kind.table(verdict)

    @property
    def _kind(self) -> Kind:
        return kind_of(self.verdict.kind)
