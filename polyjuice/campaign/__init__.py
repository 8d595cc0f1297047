"""Campaigns: many cases, on many workers, stored so that nothing is lost."""
