"""Regression suites of equivalent pairs that any project can run, with or without Polyjuice."""
