"""Shared reasons why an entry does not derive its function or error bound (:attr:`Op.why_not_derived`)."""

SUM_WITH_ONE = "its definition loses digits in a sum with 1"
OPEN_SIGN = "its definition decides by the sign of a number, which takes more steps and is open near 0"
OPEN_ZERO = "the sign of a zero is open, and its definition takes every zero for a positive one"
NEGATIVE_INDICES = "ATen refuses negative indices, which its definition takes"
