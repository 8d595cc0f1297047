"""Seed graphs."""

from polyjuice.generate.default import STRATEGIES, generate

__all__ = ["STRATEGIES", "generate"]
