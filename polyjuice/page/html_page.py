"""Render a page: templates, one style sheet and one script, all in one file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from polyjuice import drawing
from polyjuice.drawing import palette
from polyjuice.page.content import Page

_TEMPLATES = Path(__file__).with_name("templates")


def render(page: Page) -> str:
    """Return the page as HTML. All texts are escaped; drawings are SVG elements."""
    return _environment().get_template("page.html").render(page=page) + "\n"


def _code(text: str) -> Markup:
    """Return a sentence in which the text between backticks is code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters.update(svg=Markup, code=_code)
    environment.globals.update(
        style=Markup((_TEMPLATES / "page.css").read_text(encoding="utf-8") + drawing.STYLE.read_text(encoding="utf-8")),
        script=Markup((_TEMPLATES / "page.js").read_text(encoding="utf-8")),
        light=Markup(palette.variables(palette.LIGHT)),
        dark=Markup(palette.variables(palette.DARK)),
    )
    return environment
