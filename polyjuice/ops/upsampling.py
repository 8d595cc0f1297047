"""ATen's upsampling of one axis and of three, and by cubic polynomials."""

from __future__ import annotations

from polyjuice.ops.resizing import upsample

OPS = (
    upsample("upsample_nearest1d", "nearest", 1),
    upsample("upsample_nearest3d", "nearest", 3),
    upsample("upsample_linear1d", "linear", 1),
    upsample("upsample_trilinear3d", "trilinear", 3),
    upsample("upsample_bicubic2d", "bicubic", 2),
)
