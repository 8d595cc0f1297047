"""Checks of the rules themselves: on instances of each, and on generated graphs with all of them."""
