"""The error that a lowering raises."""


class Unlowerable(ValueError):
    """A format cannot express a graph; the message names the node. This is no compiler bug."""
