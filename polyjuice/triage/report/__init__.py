"""``report.md``: a finding in the form that the compiler's own tracker asks for.

A form is a Jinja template, ``forms/NAME.md`` for the compiler NAME, or ``forms/other.md``; the texts that they share
are in ``forms/parts.md``. Reports depend only on ``finding.json``, the graphs and the reproducer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from polyjuice.execution import Artifact
from polyjuice.ir import Graph
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.report.fault import failure, wrong
from polyjuice.triage.report.values import result, values
from polyjuice.triage.report.view import view

__all__ = ["failure", "render", "result", "values", "wrong"]

_FORMS = Path(__file__).with_name("forms")


def render(record: FindingRecord, graphs: Mapping[str, Graph], artifacts: Mapping[str, Artifact], repro: str) -> str:
    """The report on a finding, from its graphs and programs by label and the text of its reproducer."""
    environment = _environment()
    form = environment.select_template([f"{record.compiler}.md", "other.md"])
    return _without_gaps(form.render(finding=view(record, graphs, artifacts, repro))).strip() + "\n"


def _without_gaps(text: str) -> str:
    """The text with at most one empty line in a row, except in blocks of code."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else re.sub(r"\n{3,}", "\n\n", part) for part in parts)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_FORMS),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # Markdown, and no page of the web
    )
