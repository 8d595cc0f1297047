"""Match a campaign's findings with known bugs, also with those that were unknown while it ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyjuice.campaign.store import Store
from polyjuice.triage import known_list, older
from polyjuice.triage.known_list import KnownBug


@dataclass(frozen=True, kw_only=True)
class Recognized:
    """A reported finding, and the known ``bug`` that explains it, if there is one.

    ``is_known`` means that the compiler's version is known to have the bug. ``raw`` has the raw findings that it
    stands for, by folder, each with its bug: that of the finding, or else the one that explains the raw finding.
    """

    name: str
    signature: str
    bug: KnownBug | None
    is_known: bool
    raw: Mapping[str, KnownBug | None]


def recognized(store: Store, bugs: Sequence[KnownBug]) -> list[Recognized]:
    """Return every finding that a campaign reports, matched with known bugs."""
    found = []
    for distinct in [*store.causes(), *store.groups()]:
        finding = older.with_cause(distinct.record)
        bug = known_list.explaining(bugs, finding)
        version = finding["versions"].get(finding["compiler"], "")
        raw = {name: bug or _of_raw(store, name, bugs) for name in (distinct.name, *distinct.others)}
        found.append(
            Recognized(
                name=distinct.name,
                signature=distinct.cause,
                bug=bug,
                is_known=bool(bug and bug.is_in(version)),
                raw=raw,
            )
        )
    return found


def _of_raw(store: Store, name: str, bugs: Sequence[KnownBug]) -> KnownBug | None:
    return known_list.explaining(bugs, known_list.read_finding(store.folder / "raw" / name))
