"""The page of a campaign and of a suite's result: its content, and its behaviour in a browser."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Store
from polyjuice.plugins import installable
from tests.support.commands import ONE_RULE, PLAIN, fuzz, polyjuice, refusal, save_model
from tests.support.plugins import plugin, wrong_without

RESULT = {
    "suite": "my-suite",
    "compiler": "onnxruntime",
    "version": "1.15.0",
    "elapsed_s": 2.5,
    "cases": 4,
    "passed": 1,
    "failed": 1,
    "skipped": 1,
    "expected_failure": 1,
    "unexpected_pass": 0,
    "results": [
        {"case": "case-00001", "status": "skipped", "message": "the compiler does not take it: a: <no kernel>"},
        {"case": "case-00002", "status": "failed", "message": "a: output 0 (float32[2]) is wrong\nb is right"},
        {"case": "case-00003", "status": "expected failure", "message": "https://example.org/1"},
    ],
}

JUNIT = """<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" time="1.5">
<testcase classname="test_suite" name="test_case[case-00001]" time="0.1" />
<testcase classname="test_suite" name="test_case[case-00002]" time="0.1">
<failure message="Failed: a: output 0 is wrong">long text</failure></testcase>
<testcase classname="test_suite" name="test_case[case-00003]" time="0.1">
<skipped type="pytest.xfail" message="https://example.org/1"/></testcase>
<testcase classname="test_suite" name="test_case[case-00004]" time="0.1">
<skipped type="pytest.skip" message="the compiler does not take it"/></testcase></testsuite></testsuites>"""


class Seen(HTMLParser):
    """The content of a page: its text outside of scripts, its ids, its links, addresses, images, and unclosed tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.targets: set[str] = set()
        self.addresses: set[str] = set()
        self.open: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.ids += [known["id"] or ""] if "id" in known else []
        if tag == "svg":
            self.images.append(known)
        for name in ("href", "src"):
            address = known.get(name) or ""
            if address.startswith("#"):
                self.targets.add(address[1:])
            elif address:
                self.addresses.add(address)
        if tag not in ("meta", "link", "input", "br", "hr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.texts.append(data)

    @property
    def visible(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A campaign with one cause. One side of its pair has Relu. The finding is reduced, bisected and explained."""
    folder = tmp_path_factory.mktemp("report")
    env = plugin(folder / "site", wrong_without("Relu"), name="wrong")
    options = ("--compiler", "wrong", "-n", 2, "--seeds", save_model(folder / "relu.onnx"))
    status, summary = fuzz(folder / "c", *options, *ONE_RULE, "--oracle", "metamorphic", "--triage", "60s", env=env)
    assert (status, summary["findings"]) == (1, 1), summary
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", env["PYTHONPATH"])
        yield folder / "c"


@pytest.fixture(scope="module")
def page(campaign: Path) -> str:
    done = polyjuice("report", campaign)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(campaign / "report.html"))
    return (campaign / "report.html").read_text()


def test_the_page_tells_the_cause(page: str, campaign: Path) -> None:
    text = Seen(page).visible
    assert f"wrong {np.__version__}: 1 cause" in text  # the control has the version of NumPy
    assert re.search(r"Culprit part\s+no-relu", text)
    assert "One rule rewrites one program to the other" in text
    assert "relu-as-half-sum" in text
    assert "relu(x) = (x + |x|) / 2" in text
    assert f"polyjuice replay {campaign}/findings/" in text
    assert re.search(r"output 0 (at \[.*?\]:|is) \S+ should be \S+", text)


def test_replay_explains_what_decided_the_verdict(campaign: Path) -> None:
    (finding,) = (campaign / "findings").glob("*-mismatch")
    decision = json.loads((finding / "finding.json").read_text())["decision"]
    assert (decision["left_out"], decision["masks"]) == (0, [])
    done = polyjuice("replay", finding, "--explain")
    assert done.returncode == 1, done.stderr
    assert f"Decided by {decision['by']}." in done.stdout


def test_the_page_is_one_file_that_draws_the_pair_and_says_each_name_once(page: str) -> None:
    seen = Seen(page)
    assert page.count('class="drawing"') == 2
    heads = re.findall(r'<g id="[^"]*" class="node operator differs">.*?class="head"[^>]*>([^<]*)<', page, re.DOTALL)
    assert {"Relu", "Abs"} <= {*heads}
    assert len(re.findall(r'class="node output wrong"', page)) == 1
    assert page.count('class="plot"') >= 2  # the flow of cases, and the growth of findings
    assert "allowed difference" in seen.visible
    assert all(image["role"] == "img" and image["aria-label"] for image in seen.images)
    assert seen.open == []
    assert len(seen.ids) == len(set(seen.ids))
    assert seen.targets <= set(seen.ids)
    assert seen.addresses == {"data:,"}
    assert "var(--None" not in page


def test_the_page_is_the_same_again(page: str, campaign: Path) -> None:
    again = campaign / "again.html"
    summary = json.loads(polyjuice("report", campaign, "--out", again, "--json").stdout)
    assert again.read_text() == page
    title = f"wrong {np.__version__}: 1 cause"
    assert summary == {"out": str(again), "title": title, "told": 1, "untriaged": 0, "bytes": len(page.encode())}


def test_what_a_finding_says_stays_text(campaign: Path, tmp_path: Path) -> None:
    """The page shows HTML characters in a message, a part or a rule as text. Unreadable findings have cards."""
    copy = shutil.copytree(campaign, tmp_path / "c")
    (path,) = (copy / "findings").glob("*/finding.json")
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    record = {**json.loads(path.read_text()), "message": evil, "blame": [evil], "explanation": {evil: evil}}
    path.write_text(json.dumps(record))
    (path.parent / "repro.py").write_text(evil)
    (copy / "findings/000009-0-crash").mkdir()
    (copy / "findings/000009-0-crash/finding.json").write_text('{"form": 1, "kind": "crash"}')
    (copy / "findings/000010-0-crash").mkdir()
    (copy / "findings/000010-0-crash/finding.json").write_text("{")
    assert polyjuice("report", copy).returncode == 0
    text = (copy / "report.html").read_text()
    assert "<img" not in text
    assert text.count("<script>") == 1
    assert evil in Seen(text).visible
    assert "000009-0-crash/finding.json: it has no" in Seen(text).visible
    assert "finding.json is no JSON" in Seen(text).visible


def test_several_campaigns_share_a_page_that_shows_each_cause_once(campaign: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(campaign, tmp_path / "copy")
    done = polyjuice("report", campaign, copy, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["told"] == 1
    text = Seen((tmp_path / "report.html").read_text()).visible
    assert "2 campaigns: 1 cause" in text
    assert "3 duplicates" in text, "each campaign has two findings of this cause"
    assert f"{copy}: wrong {np.__version__}, seed 0, 2 cases" in text
    message = refusal(campaign, tmp_path / "result.json", command="report")
    assert message.startswith(f"{tmp_path / 'result.json'} is not a campaign's folder")


def test_what_is_not_triaged_is_reported_in_groups(campaign: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(campaign, tmp_path / "c")
    with closing(sqlite3.connect(copy / "campaign.sqlite")) as db, db:
        db.execute("UPDATE findings SET cause = NULL, reduced = NULL, why = NULL")
    assert polyjuice("report", copy).returncode == 0
    text = Seen((copy / "report.html").read_text()).visible
    assert "2 findings were not triaged yet." in text
    assert re.search(r"Not yet triaged .* 2 metamorphic mismatch .* raw/000000-0-mismatch", text)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "c"
    options = ("--compiler", "numpy", "-n", 6, "--seeds", "small")
    status, summary = fuzz(folder, *options, *PLAIN)
    assert status == 0, summary
    return folder


def test_a_campaign_that_found_nothing_has_a_page_without_its_compiler(sound: Path, tmp_path: Path) -> None:
    """The compiler may be a plugin on another machine. The page then leaves out the share of covered parts."""
    assert polyjuice("report", sound).returncode == 0
    text = (sound / "report.html").read_text()
    visible = Seen(text).visible
    assert "Nothing went wrong." in visible
    assert "Operators on element types" in visible
    assert re.search(r"\d+ pairs of an operator and an element type", visible)
    assert "triage reducing and bisecting findings" in visible
    copy = shutil.copytree(sound, tmp_path / "c")
    store, config = Store.open(copy)
    store.set_config(replace(config, compiler="gone"))
    store.close()
    assert polyjuice("report", copy).returncode == 0
    without = (copy / "report.html").read_text()
    assert "Of what small programs can have" not in without
    assert all(re.search(r'class="heat-\d"', page) for page in (text, without))


def test_the_result_of_a_suite(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps(RESULT))
    assert polyjuice("report", tmp_path / "result.json").returncode == 0
    text = (tmp_path / "result.html").read_text()
    visible = Seen(text).visible
    assert "onnxruntime 1.15.0: 1 of 4 cases not as expected" in visible
    assert "1 passed, 1 failed, 1 skipped, 1 expected failure" in visible
    assert "a: output 0 (float32[2]) is wrong" in visible
    assert "the compiler does not take it: a: <no kernel>" in visible
    assert text.index("case-00002") < text.index("case-00003") < text.index("case-00001")


def test_the_pair_of_a_case_that_failed_is_drawn(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "artifacts/suite-sample"
    case = next(folder for folder in sorted(sample.iterdir()) if (folder / "b.onnx").is_file())
    failed = [{"case": case.name, "status": "failed", "message": "b: output 0 (float32[2]) is wrong at 1 of 2"}]
    (tmp_path / "r.json").write_text(json.dumps({**RESULT, "suite": str(sample), "results": failed}))
    assert polyjuice("report", tmp_path / "r.json").returncode == 0
    text = (tmp_path / "r.html").read_text()
    assert text.count('class="drawing"') == 2
    assert text.count("node output wrong") == 1
    assert f"pytest {sample} --compiler onnxruntime -k {case.name}" in Seen(text).visible


def test_junit_xml(tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_text(JUNIT)
    done = polyjuice("report", tmp_path / "results.xml", "--out", tmp_path / "page.html", "--json")
    assert json.loads(done.stdout)["title"] == "results.xml: 1 of 4 cases not as expected"
    text = Seen((tmp_path / "page.html").read_text()).visible
    assert "1 passed, 1 failed, 1 skipped, 1 expected failure" in text
    assert "case-00002 a: output 0 is wrong" in text


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("no.json", "[1, 2]", "is not the result of a suite"),
        ("no.json", '{"results": [{"case": "x"}]}', "is not the result of a suite"),
        ("no.xml", "<html/>", "is not the result of a suite"),
        ("no.xml", "<testsuites", "cannot be read as XML"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    assert message in refusal(tmp_path / name, command="report")
    assert "holds no campaign" in refusal(tmp_path, command="report")
    assert str(tmp_path / "none.json") in refusal(tmp_path / "none.json", command="report")


def test_without_matplotlib_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.create(tmp_path / "c", Config(compiler="numpy")).close()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    message = refusal(tmp_path / "c", command="report")
    assert message == installable("the page needs matplotlib: pip install 'polyjuice-fuzzer[report]'")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
    if path is None:
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])


def opened(browser: Any, path: Path, width: int, scheme: str) -> tuple[Any, list[str]]:
    """The page in a browser, and a growing list of the browser's errors."""
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    problems: list[str] = []
    tab.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("request", lambda request: problems.extend([request.url] if not request.url.startswith("file:") else []))
    tab.goto(path.as_uri())
    return tab, problems


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (800, "dark"), (1400, "light")])
def test_no_error_and_no_overflow_in_chromium(page: str, campaign: Path, browser: Any, width: int, scheme: str) -> None:
    tab, problems = opened(browser, campaign / "report.html", width, scheme)
    tab.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert problems == []
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.click("#theme")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != background
    tab.close()


def test_the_keyboard_searches_and_moves(tmp_path: Path, browser: Any) -> None:
    (tmp_path / "result.json").write_text(json.dumps(RESULT))
    assert polyjuice("report", tmp_path / "result.json").returncode == 0
    tab, problems = opened(browser, tmp_path / "result.html", 800, "light")

    def shown() -> list[str]:
        found: list[str] = tab.eval_on_selector_all(".card:not([hidden])", "cards => cards.map(card => card.id)")
        return found

    assert shown() == ["c1", "c2", "c3"]
    tab.keyboard.press("/")
    tab.keyboard.type("KERNEL")
    assert shown() == ["c3"]
    assert tab.input_value("#search") == "KERNEL"
    assert tab.text_content("#count") == "1 of 3"
    tab.keyboard.type(" nowhere")
    assert tab.is_visible("#nothing")
    tab.keyboard.press("Escape")
    assert shown() == ["c1", "c2", "c3"]
    here = "document.activeElement.id"
    tab.keyboard.press("j")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate(here) == "c2"
    tab.keyboard.press("k")
    assert tab.evaluate(here) == "c1"
    was_open = tab.eval_on_selector("#c1 > details", "details => details.open")
    tab.keyboard.press("Enter")
    assert tab.eval_on_selector("#c1 > details", "details => details.open") != was_open
    assert problems == []
    tab.close()
