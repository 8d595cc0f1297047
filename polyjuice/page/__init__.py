"""Campaigns, or the result of a suite, as one HTML page that needs no other file, network or server."""

from polyjuice.page.cards import render
from polyjuice.page.merged import of_campaigns
from polyjuice.page.overview import PageError, of_campaign, of_result

__all__ = ["PageError", "of_campaign", "of_campaigns", "of_result", "render"]
