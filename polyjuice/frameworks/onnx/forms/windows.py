"""Windows: padding that an operator computes by itself, and rounding of sizes that has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import NodeProto

from polyjuice.frameworks.onnx.forms.rule import FormRule, FormSite, Shows, Write, drop, give, states, value
from polyjuice.ops.windows import drops_windows, window_dims

_CONVOLUTIONS = ("Conv", "ConvInteger", "QLinearConv")
_POOLS = ("MaxPool", "AveragePool", "LpPool")


def rules() -> Iterator[FormRule]:
    for mode, chance in (("VALID", 0.3), ("SAME_UPPER", 0.4), ("SAME_LOWER", 0.7)):
        yield FormRule(f"auto_pad {mode}", (*_CONVOLUTIONS, *_POOLS), chance, _auto_pad(mode), _has_auto_pad(mode))
    yield FormRule("auto_pad VALID", ("ConvTranspose",), 0.3, _auto_pad("VALID"), _has_auto_pad("VALID"))
    yield FormRule("output_shape given", ("ConvTranspose",), 0.5, _output_shape, states("output_shape"))
    yield FormRule("ceil_mode without effect", ("MaxPool", "AveragePool"), 0.2, _ceil_mode)


def _has_auto_pad(mode: str) -> Shows:
    return lambda view: value(view.node, "auto_pad") == mode.encode()


def _window(node: NodeProto, site: FormSite) -> tuple[list[int], list[int], list[int], list[int], list[int]]:
    spatial = list(site.operand(node).shape[2:])
    weights = 3 if node.op_type == "QLinearConv" else 1
    kernel = value(node, "kernel_shape") or list(site.operand(node, weights).shape[2:])
    rank = len(spatial)
    plain = (("strides", [1] * rank), ("pads", [0] * (2 * rank)), ("dilations", [1] * rank))
    strides, pads, dilations = (value(node, name, default) for name, default in plain)
    return spatial, kernel, strides, pads, dilations


def _auto_pad(mode: str) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        spatial, kernel, strides, pads, dilations = _window(node, site)
        if value(node, "ceil_mode", 0) or value(node, "auto_pad", b"NOTSET") != b"NOTSET":
            return False
        if pads != _pads(mode, spatial, kernel, strides, dilations):
            return False
        if mode != "VALID" and max(dilations) > 1:  # ONNX Runtime and the documentation differ here
            return False
        drop(node, "pads")
        give(node, "auto_pad", mode)
        return True

    return write


def _pads(
    mode: str, spatial: list[int], kernel: list[int], strides: list[int], dilations: list[int]
) -> list[int] | None:
    if mode == "VALID":
        return [0] * (2 * len(spatial))
    missing = [
        (-(-size // s) - 1) * s + d * (k - 1) + 1 - size
        for size, k, s, d in zip(spatial, kernel, strides, dilations, strict=True)
    ]
    if min(missing, default=0) < 0:  # ONNX Runtime refuses a window that is shorter than its stride
        return None
    less, more = [m // 2 for m in missing], [m - m // 2 for m in missing]
    return [*less, *more] if mode == "SAME_UPPER" else [*more, *less]


def _output_shape(node: NodeProto, site: FormSite) -> bool:
    """Write the result's sizes instead of pads, if both ends have the same; frameworks differ on unequal ends."""
    _, _, _, pads, _ = _window(node, site)
    half = len(pads) // 2
    if pads[:half] != pads[half:] or value(node, "auto_pad", b"NOTSET") != b"NOTSET":
        return False
    drop(node, "pads")
    give(node, "output_shape", site.result(node).shape[2:])
    return True


def _ceil_mode(node: NodeProto, site: FormSite) -> bool:
    spatial, kernel, strides, pads, dilations = _window(node, site)
    if value(node, "ceil_mode", 0) or value(node, "auto_pad", b"NOTSET") != b"NOTSET":
        return False
    attrs = {"kernel_shape": kernel, "strides": strides, "pads": pads, "dilations": dilations}
    up, down = (window_dims(spatial, kernel, strides, pads, dilations, ceil) for ceil in (1, 0))
    if list(up) != list(down) or drops_windows(spatial, attrs):
        return False
    give(node, "ceil_mode", 1)
    return True
