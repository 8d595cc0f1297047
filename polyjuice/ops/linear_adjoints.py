"""Vector-Jacobian products of operators that are linear in each operand: products and windows.

Each function takes an :class:`VjpContext` and returns the cotangents of the first operands. Operands that it leaves
out, or answers with None, have no cotangent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.ops.spec import VjpContext
from polyjuice.ops.windows import added_up, conv, flat_places


def onto(shape: Sequence[int], cotangent: np.ndarray) -> np.ndarray:
    """Return the cotangent of an operand that was broadcast from ``shape``."""
    extra = cotangent.ndim - len(shape)
    axes = [i for i in range(cotangent.ndim) if i < extra or (shape[i - extra] == 1 and cotangent.shape[i] != 1)]
    return np.asarray(np.sum(cotangent, axis=tuple(axes), keepdims=True)).reshape(shape) if axes else cotangent


# --- products --------------------------------------------------------------------------------------------------------


def matmul(a: VjpContext) -> Sequence[np.ndarray]:
    (left, right), c = a.x, a.c
    rows = left[None, :] if left.ndim == 1 else left
    columns = right[:, None] if right.ndim == 1 else right
    c = c[..., None] if right.ndim == 1 else c
    c = c[..., None, :] if left.ndim == 1 else c
    of_left = onto(rows.shape, np.matmul(c, np.swapaxes(columns, -1, -2)))
    of_right = onto(columns.shape, np.matmul(np.swapaxes(rows, -1, -2), c))
    return [of_left.reshape(left.shape), of_right.reshape(right.shape)]


def gemm(a: VjpContext) -> Sequence[np.ndarray]:
    (left, right, *bias), c, attrs = a.x, a.c, a.attrs
    of_left = c @ (right if attrs["transB"] else right.T)
    of_right = (left if attrs["transA"] else left.T) @ c
    found = [of_left.T if attrs["transA"] else of_left, of_right.T if attrs["transB"] else of_right]
    return [*(attrs["alpha"] * f for f in found), *(onto(b.shape, attrs["beta"] * c) for b in bias)]


def einsum(a: VjpContext) -> Sequence[np.ndarray]:
    """The adjoint of Einsum: contract the result's cotangent with the other operands, and restore a diagonal."""
    inputs, _, output = a.attrs["equation"].partition("->")
    terms = inputs.split(",")
    found = []
    for i, term in enumerate(terms):
        others = [t for j, t in enumerate(terms) if j != i]
        arrays = [x for j, x in enumerate(a.x) if j != i]
        known = "".join(dict.fromkeys(letter for letter in term if letter in output + "".join(others)))
        part = np.einsum(",".join([output, *others]) + "->" + known, a.c, *arrays)
        places = np.indices(a.x[i].shape, sparse=True)
        where = {letter: places[k] for k, letter in enumerate(term)}
        same = np.ones(a.x[i].shape, bool)
        for k, letter in enumerate(term):
            same &= places[k] == where[letter]
        found.append(same * np.broadcast_to(part[tuple(where[letter] for letter in known)], a.x[i].shape))
    return found


# --- windows ---------------------------------------------------------------------------------------------------------


def convolution(a: VjpContext) -> Sequence[np.ndarray]:
    (x, w), c, groups = a.x[:2], a.c, a.attrs["group"]
    r, inner, outer = w.ndim - 2, w.shape[1], w.shape[0] // groups
    places = flat_places(x.shape, w.shape[2:], a.attrs)
    taken = np.where(places >= 0, x.reshape(-1)[places], 0.0)
    of_x, of_w = np.zeros(places.shape), np.zeros(w.shape)
    spots = [0, *range(2, 2 + r)]
    for g in range(groups):
        ins, outs = slice(g * inner, (g + 1) * inner), slice(g * outer, (g + 1) * outer)
        of_x[:, ins] = np.moveaxis(np.tensordot(c[:, outs], w[outs], ([1], [0])), 1 + r, 1)
        of_w[outs] = np.tensordot(c[:, outs], taken[:, ins], (spots, spots))
    return [added_up(x.shape, places, of_x), of_w, *(np.sum(c, axis=tuple(spots)) for _ in a.x[2:])]


def convolution_transpose(a: VjpContext) -> Sequence[np.ndarray]:
    """The adjoint of ConvTranspose: a convolution with the same weights, in which data and result exchange places."""
    (x, w), c, attrs = a.x[:2], a.c, a.attrs
    spatial = tuple(slice(0, n) for n in x.shape[2:])
    of_x = conv([c, w], attrs)[(slice(None), slice(None), *spatial)]
    groups, spots = attrs["group"], [0, *range(2, x.ndim)]
    inner, outer = w.shape[0] // groups, w.shape[1]
    places = flat_places(c.shape, w.shape[2:], attrs)[(slice(None), slice(None), *spatial)]
    taken = np.where(places >= 0, c.reshape(-1)[places], 0.0)
    of_w = [
        np.tensordot(x[:, g * inner : (g + 1) * inner], taken[:, g * outer : (g + 1) * outer], (spots, spots))
        for g in range(groups)
    ]
    return [of_x, np.concatenate(of_w), *(np.sum(c, axis=tuple(spots)) for _ in a.x[2:])]


def resize(a: VjpContext) -> Sequence[np.ndarray]:
    """The adjoint of Resize, which is linear along each axis: an axis's matrix is Resize applied to the identity."""
    c, sizes, scales = a.c, a.attrs["sizes"], a.attrs["scales"]
    for axis, size in enumerate(a.x[0].shape):
        if sizes[axis] != size or scales:
            attrs = {**a.attrs, "sizes": (size, sizes[axis]), "scales": (1.0, scales[axis]) if scales else ()}
            matrix = np.asarray(a.numpy([np.eye(size)], attrs))
            c = np.moveaxis(np.tensordot(c, matrix, ([axis], [1])), -1, axis)
    return [c]
