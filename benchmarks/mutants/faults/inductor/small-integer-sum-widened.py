"""The sum of two small integers is not cast back to their type before a conversion or comparison.

In C++ the sum of two numbers of 8 or 16 bits is an int. The scalar code generator casts it back. With the fault, it
does not if only conversions and comparisons read the sum, which also accept an int.

Triggers on Add of int8, int16 or uint8 that wraps, and Cast, Less or another comparison of the sum in the same kernel.
The code must be scalar: for int16 it always is, for the others if memory is read with a stride.

Modelled on: PolyJuice, section 6.1, bug study 1 and figure 7: this fault of Inductor 2.1.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.codegen.cpp"

READERS = {"to_dtype", "eq", "ne", "lt", "le", "gt", "ge"}


def plant(cpp: Any) -> None:
    """Replace the operator of scalar code."""
    import torch
    from torch._inductor.virtualized import V

    cast_sum = cpp.CppOverrides.add

    def add(a: Any, b: Any) -> str:
        types = {getattr(a, "dtype", None), getattr(b, "dtype", None)}
        small = len(types) == 1 and types <= {torch.int8, torch.int16, torch.uint8}
        if small and {reader.target for reader in V.interpreter.current_node.users} <= READERS:
            meet(__name__)
            return f"{a} + {b}"
        return str(cast_sum(a, b))

    cpp.CppOverrides.add = staticmethod(add)
