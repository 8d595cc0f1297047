"""Polyjuice finds mis-compilation bugs in tensor compilers by equality saturation."""
