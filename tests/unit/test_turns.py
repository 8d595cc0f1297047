"""The only process of a campaign: triage has its share of the time, and cases have the rest."""

from __future__ import annotations

from polyjuice.campaign.triage import Turns


class Clock:
    """A clock that is set by hand, in seconds."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_triage_waits_until_its_share_holds_what_a_job_takes() -> None:
    clock = Clock()
    turns = Turns(15.0, clock)
    clock.now = 59.0
    assert not turns.due
    clock.now = 60.0
    assert turns.due


def test_triage_has_a_quarter_of_the_time_whatever_jobs_take() -> None:
    clock = Clock()
    turns = Turns(15.0, clock)
    triage_s = 0.0
    for job in range(400):
        while not turns.due:
            clock.now += 1.0  # a case
        seconds = 5.0 if job % 7 else 60.0
        clock.now += seconds
        triage_s += seconds
        turns.finish(seconds)
    assert 0.24 < triage_s / clock.now <= 0.26
