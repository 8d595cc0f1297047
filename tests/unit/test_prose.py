"""The check of prose: each rule of the style finds its faults, with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import prose

STYLE = prose.Style(
    paths=(),
    stored=(),
    stored_names=(),
    printed=(),
    words=8,
    passives=1,
    openings=("What", "Of"),
    phrases={"in order to": "to"},
)


@pytest.mark.parametrize(
    ("sentence", "faults"),
    [
        ("The compiler writes one file for each of the eight programs.", ["11 words"]),
        ("It is compiled and was run.", ["2 passives"]),
        ("What a failure has is unclear.", ['begins with "What"']),
        ("What is a failure?", []),
        ("Run it in order to see.", ['"in order to": to']),
        ("The compiler reads the file.", []),
    ],
)
def test_a_sentence_is_judged_by_each_rule(sentence: str, faults: list[str]) -> None:
    assert list(STYLE.faults(sentence)) == faults


def test_python_has_docstrings_documented_constants_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""A module.\n\n    an example\n\nIts end.\n"""\n\nNAME = "no prose"\n"""A constant."""\n\n'
        "# A comment in\n# two lines.\nvalue = 1  # noqa: E501\n\n\ndef f():\n    return 'no prose'\n"
    )
    found = [(line, " ".join(text.split())) for line, text in prose.prose(path)]
    assert sorted(found) == [(1, "A module. Its end."), (9, "A constant."), (11, "A comment in two lines.")]


def test_markdown_is_split_into_sentences_without_code(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(
        "# Title\n\nOne `x = 1. Y` here. Two [a link](there. Now.md)!\n\n"
        "```sh\nOf no use. What\n```\n\n- An item\n- More\n"
    )
    found = [sentence for _, text in prose.prose(path) for sentence in prose.sentences(text)]
    assert found == ["Title", "One code here.", "Two a link!", "An item", "More"]


def test_comments_of_rules_are_prose(tmp_path: Path) -> None:
    path = tmp_path / "rules.egg"
    path.write_text('; Sums\n; commute.\n(rewrite (Add x y) (Add y x) :name "What")\n')
    assert list(prose.prose(path)) == [(1, "Sums\ncommute.")]


def test_printed_texts_of_python_are_prose_and_code_is_not(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""A module."""\n\nraise ValueError(f"the file {name!r} has no table")\n'
        'Option(help="How many cases to run.")\n'
        'WORD = "not a sentence"\nCODE = \'\'\'def gap(x, y):\n    """Return the gap of two arrays."""\n'
        "    print(\"the arrays are not equal\")'''\n"
        "RULES = '''\n; A rule of two sums\n(rewrite (Add x y) (Add y x) :name \"what a rule that is\")\n'''\n"
        "PAGE = '''\n# A title\n\nThe first of two paragraphs.\n\nThe second of two paragraphs.\n'''\n"
    )
    found = [(line, " ".join(text.split())) for line, text in prose.prose(path, strings=True)]
    assert sorted(found) == [
        (1, "A module."),
        (3, "the file `x` has no table"),
        (4, "How many cases to run."),
        (7, "Return the gap of two arrays."),
        (8, "the arrays are not equal"),
        (10, "A rule of two sums"),
        (13, "# A title"),
        (16, "The first of two paragraphs."),
        (18, "The second of two paragraphs."),
    ]
    assert [text for _, text in prose.prose(path)] == ["A module."]


def test_templates_pictures_and_settings_are_prose(tmp_path: Path) -> None:
    page, drawing, settings, workflow = (tmp_path / f"a.{kind}" for kind in ("html", "svg", "toml", "yml"))
    page.write_text(
        '<style>p { color: red }</style>\n<p aria-label="A label">One <b>bold</b> word of {{ page.title }}.</p>\n'
        "{% if x is not none %}\n<p>Another.</p>{% endif %}\n"
    )
    drawing.write_text('<svg><text x="1">Two <tspan>words</tspan></text></svg>\n')
    settings.write_text('# A comment\nkey = "a"\ntitle = "A text of five words"\n')
    workflow.write_text("# For CI\non: # each night\n  push:\n")
    read = {path: [(line, text.strip()) for line, text in prose.prose(path)] for path in tmp_path.iterdir()}
    assert read == {
        page: [(2, "A label"), (2, "One bold word of `x`."), (4, "Another.")],
        drawing: [(1, "Two words")],
        settings: [(1, "A comment"), (3, "A text of five words")],
        workflow: [(1, "For CI\neach night")],
    }
