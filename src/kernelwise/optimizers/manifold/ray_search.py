"""The line search of :class:`ManifoldDescent`, in the form that pymanopt's optimizers call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SUFFICIENT = 1e-4  # share of the decrease that the slope promises (Armijo)
CLOSE = 0.6  # ratio of two steps that need not be told apart
SHORTEST = 1e-12  # of a step, in the manifold's norm


class RaySearch:
    """A step that lowers the cost itself, at or near the lowest point of the ray that parabolas find.

    ``count`` is called at the start of each search; the first step tried has ``length`` in the manifold's
    norm, and later searches begin with the last one's.
    """

    def __init__(self, count: Callable[[], None], length: float) -> None:
        self.count = count
        self.length = length

    def search(
        self, objective: Callable[[Any], float], manifold: Any, x: Any, d: Any, f0: float, df0: float
    ) -> tuple[float, Any]:
        """The new point and the length of the step to it; (0, x) if no step lowers the cost."""
        self.count()
        norm = float(manifold.norm(x, d))
        if norm == 0.0:
            return 0.0, x

        def at(t: float) -> tuple[float, float, Any]:
            point = manifold.retraction(x, d * t)
            return float(objective(point)), t, point

        value, t, point = at(self.length / norm)
        while value > f0 + SUFFICIENT * t * df0:
            if t * norm < SHORTEST:
                return 0.0, x
            value, t, point = at(_parabola_minimum(f0, df0, t, value, 0.1, 0.5))
        while True:
            target = _parabola_minimum(f0, df0, t, value, 0.3, 3.0)
            # So close to the minimum, another evaluation would gain next to nothing.
            if CLOSE < target / t < 1.0 / CLOSE:
                break
            trial = at(target)
            if trial[0] >= value:
                break
            value, t, point = trial
        self.length = t * norm
        return self.length, point


def _parabola_minimum(f0: float, df0: float, t: float, f: float, least: float, most: float) -> float:
    """Where the parabola through f(0), f′(0) and f(t) is lowest, between two multiples of t."""
    curvature = f - f0 - df0 * t
    lowest = -df0 * t / (2.0 * curvature) if curvature > 0 else most
    return t * min(max(lowest, least), most)
