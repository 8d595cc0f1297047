"""One page of several campaigns: each cause once, whichever of them found it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from polyjuice.campaign.store import Store
from polyjuice.frameworks.limits import reading_within
from polyjuice.page import cards, plots
from polyjuice.page.cards import Card, Found, Page
from polyjuice.triage.ranking import rank
from polyjuice.wording import counted, duration

_SUMMED = {
    "tested": ("cases tested", ""),
    "programs": ("programs run", ""),
    "raw_findings": ("findings", "bad"),
    "untriaged": ("not yet triaged", "mark"),
}
"""The counts of campaigns that the page adds up: their names, and the CSS class where they are not 0."""


def of_campaigns(folders: Sequence[Path]) -> Page:
    """The page of several campaigns. Raises NoCampaign, and DrawingMissing if a drawing library is not installed."""
    plots.check()
    sums: Counter[str] = Counter()
    listed: list[str] = []
    known: Counter[str] = Counter()
    found: list[Found] = []
    for folder in folders:
        store, config = Store.open(folder)
        with closing(store), reading_within(config.read_limits):
            found += cards.in_folder(folder / "findings")
            summary = store.summary()
            sums.update({name: summary[name] for name in _SUMMED})
            known.update(summary["known"])
            took = duration(store.spent()["elapsed_s"])
            listed.append(
                f"{folder}: {config.compiler} {store.meta('version') or ''}, seed {config.seed}, "
                f"{counted(summary['tested'], 'case')} in {took}, {counted(summary['causes'], 'cause')}"
            )
    told = _merged(found)
    return Page(
        title=f"{counted(len(folders), 'campaign')}: {counted(len(told), 'cause')}",
        lead=[
            f"{counted(sums['tested'], 'case')} with {counted(sums['programs'], 'program')}.",
            "A cause that several campaigns found is shown once, by the finding to look at first.",
        ],
        numbers=[
            *((f"{sums[name]:,}", text, tone if sums[name] else "") for name, (text, tone) in _SUMMED.items()),
            (f"{len(told):,}", "root causes", "bad" if told else ""),
        ],
        noun="causes",
        cards=told,
        further={"Campaigns": listed}
        | ({"Known bugs found again": [f"{n} × {url}" for url, n in known.most_common()]} if known else {}),
    )


def _merged(found: Iterable[Found]) -> list[Card]:
    """A card for each cause, in the order of `rank`; its duplicates are those of all campaigns."""
    causes: dict[tuple[str, str], list[Found]] = {}
    unread = []
    for one in found:
        if one.record is None:
            unread.append(one)
        else:
            causes.setdefault((one.record.compiler, one.record.cause or one.record.signature), []).append(one)
    firsts = []
    for alike in causes.values():
        first = min(alike, key=lambda one: rank(vars(one.record)))
        assert first.record
        more = sum(one.record.more + 1 for one in alike if one.record) - 1
        firsts.append(replace(first, record=replace(first.record, more=more)))
    firsts.sort(key=lambda one: rank(vars(one.record)))
    return [cards.card(one, f"c{n}", one.folder) for n, one in enumerate([*firsts, *unread], 1)]
