"""Checks of the rules themselves: on instances of each, on generated graphs with all of them, and by proof."""
