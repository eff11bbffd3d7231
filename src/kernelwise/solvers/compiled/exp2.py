"""Compiled: 2^x for the exponents of a Gaussian kernel, in half the time of NumPy's exp."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kernelwise._core.compile import PLAIN, compiled_for

# Below the least exponent 2^x counts as zero wherever it is used, but products with a denormal number would
# take a hundred times as long. The greatest is that of a sample with itself.
LEAST, GREATEST = np.float32(-100.0), np.float32(0.0)
ROUND = np.float32(1.5 * 2**23)  # added to x, leaves the integer next to x in the lowest bits
# 2^r = 1 + r(q0 + q1 r + … + q4 r⁴) for |r| ≤ ½, to 1.1e-7 at worst, the least of all such polynomials
Q0, Q1, Q2, Q3, Q4 = np.array([0.693147, 0.24022242, 0.055507336, 0.009671513, 0.0013264727], np.float32)


def _times_power(typing: Any, value: Any, rounded: Any) -> Any:
    """``value`` times two to the integer in the lowest bits of ``rounded``: a sum of exponents."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer = ir.IntType(32)
        bits, power = (builder.bitcast(a, integer) for a in args)
        return builder.bitcast(builder.add(bits, builder.shl(power, integer(23))), ir.FloatType())

    return types.float32(types.float32, types.float32), generate


_scaled: Any = intrinsic(_times_power)


# No "reassoc": it would cancel the rounding.
@compiled_for("void(float32[::1])", **PLAIN, fastmath={"nnan", "nsz", "contract"})
def exp2_in_place(x: Any) -> None:
    """Replace each x by 2^x, after moving it between `LEAST` and `GREATEST`."""
    for t in range(x.shape[0]):
        value = x[t] if x[t] > LEAST else LEAST
        value = value if value < GREATEST else GREATEST
        rounded = value + ROUND
        r = value - (rounded - ROUND)
        x[t] = _scaled(np.float32(1.0) + r * (Q0 + r * (Q1 + r * (Q2 + r * (Q3 + r * Q4)))), rounded)
