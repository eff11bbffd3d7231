"""Compiled: 2^x for the exponents of a Gaussian kernel, in half the time of NumPy's exp."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.compile import compiled_later
from kernelwise._core.llvm.values import Instruction, Value, inner

# Below the least exponent 2^x counts as zero wherever it is used, but products with a denormal number would
# take a hundred times as long. The greatest is that of a sample with itself.
LEAST, GREATEST, UNIT = np.float32(-100.0), np.float32(0.0), np.float32(1.0)
ROUND = np.float32(1.5 * 2**23)  # added to x, leaves the integer next to x in the lowest bits
# 2^r = 1 + r(q0 + q1 r + … + q4 r⁴) for |r| ≤ ½, to 1.1e-7 at worst, the least of all such polynomials
Q0, Q1, Q2, Q3, Q4 = np.array([0.693147, 0.24022242, 0.055507336, 0.009671513, 0.0013264727], np.float32)


@Instruction
def _times_power(to: Any, value: Value, rounded: Value) -> Value:
    """``value`` times two to the integer in the lowest bits of ``rounded``: a sum of exponents."""
    bits, power = (to.put(f"bitcast float {one.text} to i32") for one in (value, rounded))
    total = to.put(f"add i32 {bits}, {to.put(f'shl i32 {power}, 23')}")
    return Value("float32", to.put(f"bitcast i32 {total} to float"))


def exp2_in_place(x: np.ndarray) -> None:
    """Replace each x by 2^x, after moving it between `LEAST` and `GREATEST`."""
    _exp2(x, x.size)


@compiled_later("float32[] int64")
@inner(fastmath=("nnan", "nsz", "contract"))  # no "reassoc": it would cancel the rounding
def _exp2(x: Any, n: int) -> None:
    for t in range(n):
        value = x[t] if x[t] > LEAST else LEAST
        value = value if value < GREATEST else GREATEST
        rounded = value + ROUND
        r = value - (rounded - ROUND)
        x[t] = _times_power(UNIT + r * (Q0 + r * (Q1 + r * (Q2 + r * (Q3 + r * Q4)))), rounded)
