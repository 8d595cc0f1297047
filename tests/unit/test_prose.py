"""The check of prose finds long sentences and phrases to avoid in each kind of file, and none in code."""

from __future__ import annotations

from pathlib import Path

from scripts import prose

STYLE = prose.Style(paths=(), stored=(), printed=(), words=8, phrases={"in order to": "to"})
FAULTY = "Run it in order to see."
FILES = {
    "a.py": f'"""A module.\n\n    in order to\n\n{FAULTY}\n"""\n\nNAME = "in order to"\n"""{FAULTY}"""\n'
    "# Run it in\n# order to see.\nraise ValueError(f'{NAME}: you ran it in order to see')\n"
    'CODE = """import os\nprint("you ran it in order to see")"""\n',
    "a.md": f"# Title\n\nOne `in order to` here. {FAULTY}\n\n```sh\nOf no use in order to\n```\n\n- {FAULTY}\n",
    "a.egg": f'; {FAULTY}\n(rewrite (Add x y) (Add y x) :name "in order to")\n',
    "a.html": f"<style>in order to</style>\n<p>One <b>word</b>. {FAULTY}</p>\n{{% in order to %}}\n",
    "a.toml": f'# {FAULTY}\nkey = "in order to"\n',
}
LINES = {"a.py": [1, 9, 10, 12], "a.md": [3, 9], "a.egg": [1], "a.html": [1], "a.toml": [1]}


def test_each_kind_of_file_is_checked(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    found = {
        path.name: [
            line
            for line, text in sorted(prose.prose(path, printed=True))
            for sentence in prose.sentences(text)
            for _ in STYLE.faults(sentence)
        ]
        for path in prose.files([str(tmp_path)], stored=())
    }
    assert found == LINES
    assert list(STYLE.faults("The compiler writes one file for each of the eight programs.")) == ["11 words"]
