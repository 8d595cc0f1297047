"""Operators whose shape signatures egglog cannot express, and why. Only an e-class gives the shapes of their terms.

A signature runs once on egglog expressions instead of shapes (:class:`polyjuice.egraph.language.Term`). It can add,
multiply and index sizes. It cannot ask how many axes a shape has, or loop over them, because only a term has a rank.
"""

from __future__ import annotations

from collections.abc import Mapping

_OPERATORS_BY_REASON: Mapping[str, str] = {
    "it adds or removes axes at places that depend on the rank": (
        "Squeeze Unsqueeze Flatten Gather GatherND OneHot aten.stack aten.unbind aten.select Shape"
    ),
    "it computes the size of each axis by itself, in a loop over the axes": (
        "Pad Tile CenterCropPad DepthToSpace SpaceToDepth aten.rot90 aten.movedim aten.diagonal aten.diag_embed "
        "aten.block_diag aten.kron aten.take_along_dim"
    ),
    "its axis may count from the end, which needs the rank": (
        "ArgMax ArgMin aten.count_nonzero aten.aminmax aten.max aten.min aten.median aten.kthvalue "
        "aten.cosine_similarity"
    ),
    "it removes all axes, however many there are": "Size aten.argmax aten.argmin",
    "it has a window along each spatial axis, in a loop over these": (
        "Conv ConvTranspose ConvInteger QLinearConv Col2Im aten.im2col MaxPool AveragePool LpPool aten.avg_pool2d "
        "GlobalAveragePool GlobalMaxPool GlobalLpPool aten.max_pool2d_with_indices aten.adaptive_avg_pool1d "
        "aten.adaptive_avg_pool2d aten.adaptive_avg_pool3d aten.adaptive_max_pool1d aten.adaptive_max_pool2d GridSample"
    ),
    "it checks the ranks of matrices, or broadcasts all axes before the last ones": (
        "Gemm QLinearMatMul Einsum aten.tensordot aten.scaled_dot_product_attention aten.cdist"
    ),
}

UNTRACED: Mapping[str, str] = {
    operator: reason for reason, operators in _OPERATORS_BY_REASON.items() for operator in operators.split()
}
"""The reason by the operator's qualified name. A test holds this list against the signatures."""
