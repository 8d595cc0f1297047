"""A campaign, or the result of a suite, as one HTML page that needs no other file, network or server."""

from polyjuice.page.content import render
from polyjuice.page.overview import of_campaign
from polyjuice.page.suite_result import PageError, of_result

__all__ = ["PageError", "of_campaign", "of_result", "render"]
