"""The only process of a campaign: triage has its share of the time, and cases have the rest."""

from __future__ import annotations

from polyjuice.campaign.schedule import TriageShare


def test_triage_waits_until_its_share_holds_what_a_job_takes() -> None:
    share = TriageShare(began=1000.0)
    assert not share.allows_job(1059.0)
    assert share.allows_job(1060.0)


def test_triage_has_a_quarter_of_the_time_whatever_jobs_take() -> None:
    share, now = TriageShare(began=0.0), 0.0
    for job in range(400):
        while not share.allows_job(now):
            now += 1.0  # a case
        seconds = 5.0 if job % 7 else 60.0
        now += seconds
        share.count(seconds)
    assert 0.24 < share.spent_s / now <= 0.26
