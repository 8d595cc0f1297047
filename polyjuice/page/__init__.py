"""A campaign, or the result of a suite, as one page."""
