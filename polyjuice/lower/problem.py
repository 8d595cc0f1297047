"""What a lowering raises."""


class Unlowerable(ValueError):
    """A graph that a format cannot say; the message names the node. A case for another compiler, no bug of one."""
