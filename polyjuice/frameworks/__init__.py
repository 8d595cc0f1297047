"""Formats of programs: a folder for each framework, and what they share. See :mod:`polyjuice.frameworks.registry`."""
