"""Seed graphs."""

from polyjuice.generate.default import STRATEGIES, Accepts, generate

__all__ = ["STRATEGIES", "Accepts", "generate"]
