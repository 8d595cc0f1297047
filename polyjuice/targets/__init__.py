"""Targets: what the passes of a compiler look for, as typed graphs, as near misses, and as patterns in the e-graph."""

from polyjuice.targets.files import Target, TargetFile, load, of_compiler, of_every_compiler, of_no_compiler

__all__ = ["Target", "TargetFile", "load", "of_compiler", "of_every_compiler", "of_no_compiler"]
