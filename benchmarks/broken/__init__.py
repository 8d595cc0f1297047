"""Broken models, findings and suites, and what each command of Polyjuice answers to them."""
