"""The mean over a broadcast axis divides by the size before the broadcast.

Triggers on ReduceMean over an axis of the direct result of an Expand that made this axis longer.

Modelled on: NNSmith, section 5.4: wrong broadcasting in TVM; Isra, section IV-E, TVM-9:
inconsistent ReduceL1.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.lowering"


def plant(lowering: Any) -> None:
    """Wrap the lowering of both overloads."""
    import torch

    def of_stored_size(mean: Any) -> Any:
        def lowered(x: Any, axis: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
            result = mean(x, axis, keepdim, dtype=dtype)
            repeated = 1
            for position in lowering._validate_reduction_axis(x, axis):
                if _is_broadcast(x.data, position):
                    repeated = repeated * x.get_size()[position]
            if repeated == 1:
                return result
            meet(__name__)
            return lowering.mul(result, repeated)

        return lowered

    def _is_broadcast(view: Any, position: int) -> bool:
        if isinstance(view, lowering.ir.ReinterpretView):
            return bool(view.get_stride()[position] == 0 and view.get_size()[position] != 1)
        if isinstance(view, lowering.ir.ExpandView):
            position -= len(view.get_size()) - len(view.data.get_size())
            return position < 0 or bool(view.data.get_size()[position] == 1)
        return False

    aten = torch.ops.aten
    for overload in (aten.mean.default, aten.mean.dim):
        lowering.lowerings[overload] = of_stored_size(lowering.lowerings[overload])
