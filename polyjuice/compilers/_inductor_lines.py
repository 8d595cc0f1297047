"""Find the lines of a program at which Inductor fails: of many programs in one pack, they tell the one at fault."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import FrameType
from typing import Any, Optional

import torch


def at_fault(error: BaseException) -> str:
    """The lines, with their places, that Inductor was compiling when it raised an error; "" where nothing tells.

    They come from the innermost stack frame that works on nodes of the program.
    """
    cause: Optional[BaseException] = error
    chain = []
    while cause:
        chain.append(cause)
        cause = cause.__cause__
    for one in reversed(chain):
        for frame in reversed([*_frames(one)]):
            nodes = [node for value in frame.f_locals.values() for node in _nodes(value)]
            beside = [near for node in nodes for near in (*node.all_input_nodes, *node.users)]
            for some in (nodes, beside):  # a pass may have made a node without its place
                if lines := sorted({line for node in some if (line := node.meta.get("stack_trace"))}):
                    return "\n".join(lines)
    return ""


def _frames(error: BaseException) -> Iterator[FrameType]:
    trace = error.__traceback__
    while trace:
        yield trace.tb_frame
        trace = trace.tb_next


def _nodes(value: Any) -> list[torch.fx.Node]:
    """The nodes of the program's graph that a value of Inductor's stands for."""
    if isinstance(value, torch.fx.Node):
        return [value]
    if not type(value).__module__.startswith("torch._inductor."):
        return []
    sources = [value, getattr(value, "node", None)]  # of a scheduler's node, the operation
    origins = [getattr(source, "origins", None) for source in sources]
    return [node for one in origins if isinstance(one, Collection) for node in one if isinstance(node, torch.fx.Node)]
