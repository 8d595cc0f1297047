"""The error that a lowering raises."""


class Unlowerable(ValueError):
    """A format cannot express a graph. The message names the node. This is no compiler bug; other compilers may run the
    case.
    """
