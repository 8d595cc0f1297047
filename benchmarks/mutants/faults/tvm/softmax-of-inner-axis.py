"""A softmax over an axis in the middle is computed over the last one.

Triggers on softmax and log_softmax of rank 3 or more over an axis that is neither the first nor the last.
Modelled on: GenCoG, section 6.5 and table 5, bug 13: an operator attribute problem, a wrong result in TOPI.
"""

from typing import Any

from planted_relax import in_legalization, name, shape
from tvm import topi

MODULE = "tvm.relax.transform.legalize_ops"


def legalize(builder: Any, call: Any) -> Any:
    sizes = shape(call.args[0])
    if not sizes or not 0 < int(call.attrs.axis) % len(sizes) < len(sizes) - 1:
        return None
    function = topi.nn.softmax if name(call) == "relax.nn.softmax" else topi.nn.log_softmax
    return builder.call_te(function, call.args[0], -1)


plant = in_legalization(("relax.nn.softmax", "relax.nn.log_softmax"), legalize)
