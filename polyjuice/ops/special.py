"""Special functions that NumPy lacks, to the accuracy of float64, on arrays."""

from __future__ import annotations

import math

import numpy as np

_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def erf(x: np.ndarray) -> np.ndarray:
    return np.asarray(_erf(x).astype(x.dtype))


def erfc(x: np.ndarray) -> np.ndarray:
    """1 - erf(x), accurate for large x."""
    return np.asarray(_erfc(x).astype(x.dtype))


def erfinv(y: np.ndarray) -> np.ndarray:
    """The inverse of erf: Winitzki's approximation, refined by Halley's method on erfc, which is accurate near 1."""
    z = np.abs(np.asarray(y, np.float64))
    rest = 1 - z  # exact for z >= 1/2
    log = np.log(rest * (1 + z))
    a = 0.147
    half = 2 / (math.pi * a) + log / 2
    x = np.sqrt(np.sqrt(half * half - log / a) - half)
    for _ in range(3):
        miss = np.where(z < 0.5, _erf(x) - z, rest - _erfc(x))
        step = miss / (2 / math.sqrt(math.pi) * np.exp(-x * x))
        x = x - np.where(np.isfinite(step), step / (1 + x * step), 0.0)
    x = np.where(z == 1, np.inf, np.where(z == 0, 0.0, x))
    return np.asarray(np.copysign(x, y).astype(np.asarray(y).dtype))


def erfcx(x: np.ndarray) -> np.ndarray:
    """exp(x^2) erfc(x), by a continued fraction where erfc is small."""
    z = np.asarray(x, np.float64)
    large = np.maximum(z, _CONTINUED)
    rest = large
    for k in range(40, 0, -1):
        rest = large + k / 2 / rest
    small = np.minimum(z, _CONTINUED)
    return np.asarray(np.where(z > _CONTINUED, 1 / (math.sqrt(math.pi) * rest), np.exp(small * small) * _erfc(small)))


_CONTINUED = 5.0


def scaled_bessel_i(x: np.ndarray, order: int) -> np.ndarray:
    """exp(-|x|) times the modified Bessel function of the first kind, of the order 0 or 1.

    The mean over a period of Bessel's integrand converges faster than any power; large operands have the asymptotic
    expansion (Abramowitz and Stegun, 9.6.16 and 9.7.1).
    """
    z = np.abs(np.asarray(x, np.float64))[..., None]
    near, far = np.minimum(z, _FAR), np.maximum(z, _FAR)
    angle, k = np.arange(64) * (math.pi / 32), np.arange(1, 21)
    integrand = np.exp(near * (np.cos(angle) - 1)) * np.cos(order * angle)
    terms = np.cumprod(((2 * k - 1) ** 2 - 4 * order**2) / (8 * k * far), axis=-1)
    large = (1 + np.sum(terms, axis=-1)) / np.sqrt(2 * math.pi * far[..., 0])
    result = np.where(z[..., 0] > _FAR, large, np.mean(integrand, axis=-1))
    return np.asarray(result * np.sign(x) if order == 1 else result)


_FAR = 25.0


def _lgamma_of(x: float) -> float:
    if not math.isfinite(x):
        return abs(x)
    if x == math.floor(x) and x <= 0:
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


_lgamma = np.vectorize(_lgamma_of, otypes=[np.float64])


def lgamma(x: np.ndarray) -> np.ndarray:
    """log |Gamma(x)|."""
    return np.asarray(_lgamma(x).astype(x.dtype))


_ASYMPTOTIC = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""B(2k) / 2k for k = 1 to 7, the coefficients of the asymptotic expansion of digamma."""

_LARGE = 10


def digamma(x: np.ndarray) -> np.ndarray:
    """The derivative of lgamma: by reflection, recurrence up to 10, and the asymptotic expansion from there."""
    wide = np.asarray(x, np.float64)
    z = np.where(wide <= 0, 1 - wide, wide)
    out = np.zeros(z.shape)
    for _ in range(_LARGE):
        small = z < _LARGE
        out = out - np.where(small, 1 / z, 0.0)
        z = z + small
    power = inverse = 1 / (z * z)
    out = out + np.log(z) - 0.5 / z
    for coefficient in _ASYMPTOTIC:
        out = out - coefficient * power
        power = power * inverse
    fraction = wide - np.rint(wide)
    out = np.where(wide <= 0, out - math.pi / np.tan(math.pi * fraction), out)
    out = np.where((wide <= 0) & (fraction == 0), np.nan, out)
    return np.asarray(out.astype(np.asarray(x).dtype))
