"""The colours of drawings and pages, in light and dark mode, each under the name of a CSS variable."""

from __future__ import annotations

import re
from collections.abc import Mapping

LIGHT: Mapping[str, str] = {
    "page": "#f5f6f8",
    "paper": "#ffffff",
    "ink": "#1a2130",
    "dim": "#566074",
    "line": "#d8dde6",
    "accent": "#2252b8",
    "accent-soft": "#e8eefb",
    "good": "#17663a",
    "good-soft": "#e2f3e9",
    "bad": "#b3261e",
    "bad-soft": "#fde7e5",
    "mark": "#9a5b00",
    "mark-soft": "#fff0cf",
    "node": "#ffffff",
    "node-line": "#8b95a7",
    "data": "#edf1f8",
    "heat-1": "#dbe6fb",
    "heat-2": "#b3cbf6",
    "heat-3": "#7fa5ec",
    "heat-4": "#3d6bc6",
    "heat-5": "#2252b8",
}

DARK: Mapping[str, str] = {
    "page": "#0f131a",
    "paper": "#181e28",
    "ink": "#e7ebf3",
    "dim": "#a1acbf",
    "line": "#2d3646",
    "accent": "#8fb3ff",
    "accent-soft": "#1d2a45",
    "good": "#7fd6a2",
    "good-soft": "#173226",
    "bad": "#ff9d94",
    "bad-soft": "#421d1d",
    "mark": "#f3bd5b",
    "mark-soft": "#3d2e10",
    "node": "#202836",
    "node-line": "#6e7b90",
    "data": "#27303f",
    "heat-1": "#1d2b47",
    "heat-2": "#26406f",
    "heat-3": "#33589b",
    "heat-4": "#6c95e6",
    "heat-5": "#8fb3ff",
}


def variables(palette: Mapping[str, str]) -> str:
    """Return the CSS declarations that give a palette's variables their values."""
    return " ".join(f"--{name}: {colour};" for name, colour in palette.items())


def fixed(css: str) -> str:
    """Return a style sheet with literal colours, because some SVG viewers do not support variables."""
    light, dark = _with(css, LIGHT), _with(css, DARK)
    return f"{light}\n@media (prefers-color-scheme: dark) {{\nsvg {{ background: {DARK['page']}; }}\n{dark}\n}}\n"


def _with(css: str, palette: Mapping[str, str]) -> str:
    return re.sub(r"var\(--([\w-]+)\)", lambda found: palette[found[1]], css)
