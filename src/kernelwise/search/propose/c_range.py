"""Step 4 of a search: the values of C worth trying with a kernel."""

from __future__ import annotations

import math

import numpy as np

from kernelwise._core.rounding import significant
from kernelwise.search.engine.scored_kernel import ScoredKernel

#: Ratio of neighbouring values of C.
STEP = 4.0
#: Values of C tried at first, and the step of the first of them: log₄ of C·variance.
N_VALUES, FIRST = 5, -1
#: No C·variance outside these limits is ever tried: below, all machines are the same; above, they take long
#: and have hardly any bounded support vectors left.
LIMITS = (2.0**-12, 2.0**13)
#: C grows further only for a gain of more held-out samples than this.
MARGIN = 1.0


def c_range(variance: float, best: ScoredKernel | None = None) -> np.ndarray:
    """Values of C for a kernel with that variance in feature space, in increasing order.

    Scaling a kernel by s is scaling C by 1/s, and a wide RBF kernel is almost 1 − γD: its variance is γ times
    that of the inputs. So C in units of 1/variance makes C grow like σ² where the kernel is wide, and fits
    linear and polynomial kernels as well. The values are powers of 4.

    ``best`` is the best kernel so far. Where it asked for smaller values than the usual ones, as on noisy
    data, the values are those around its best C: large ones take the longest, and would not win. The smallest
    C of all is no guide: there a machine may answer one class only, and others at larger C do better.
    """
    unit = _steps(variance)
    lowest = round(FIRST - unit)
    if best is not None and best.best > 0 and best.Cs[0] < c_range(best.variance)[0]:
        around = _steps(float(best.Cs[best.best])) + _steps(best.variance) - N_VALUES // 2
        lowest = min(lowest, max(round(around - unit), math.ceil(_steps(LIMITS[0]) - unit)))
    return STEP ** np.arange(lowest, lowest + N_VALUES, dtype=float)


def _steps(value: float) -> float:
    """The logarithm to the base of `STEP`, of a value that is kept within the range of numbers."""
    return math.log(min(max(value, 1e-300), 1e300)) / math.log(STEP)


def next_Cs(scored: ScoredKernel, n: int, unit: float = 1.0) -> np.ndarray:
    """Two more values of C beyond the end at which the best one is; empty where they cannot matter.

    Parameters
    ----------
    scored : ScoredKernel
    n : int
        Number of held-out rows.
    unit : float, default=1.0
        Of the scores: what one is to a share or R², the deviation of y is to an error in units of y.
    """
    smoothed = scored.smoothed
    if scored.best == 0 and np.ptp(significant(scored.scores.mean(axis=1))) > 0.0:
        return two_more(scored.Cs, scored.variance, upwards=False)
    is_top = scored.best == len(scored.Cs) - 1 and not scored.is_finished
    # Machines get dear as C grows: less than one held-out sample is no reason to go on.
    if is_top and smoothed[-1] - smoothed[:-1].max() > unit * MARGIN / n:
        return two_more(scored.Cs, scored.variance, upwards=True)
    return np.empty(0)


def two_more(Cs: np.ndarray, variance: float, *, upwards: bool) -> np.ndarray:
    """Two more values after (or before) those tried, within the limits; empty if there are none."""
    low, high = (limit / max(variance, 1e-300) for limit in LIMITS)
    more = Cs[-1] * STEP ** np.array([1.0, 2.0]) if upwards else Cs[0] / STEP ** np.array([2.0, 1.0])
    return more[(more >= low) & (more <= high)]
