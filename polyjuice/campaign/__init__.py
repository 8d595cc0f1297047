"""Campaigns: run many cases in several processes, and store each result at once."""
