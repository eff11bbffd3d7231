"""The line search of :class:`ManifoldDescent`, in the form that pymanopt's optimizers call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SUFFICIENT = 1e-4  # share of the decrease that the slope promises (Armijo)
SHORTEST = 1e-12  # of a step, in the manifold's norm


class RaySearch:
    """A step that lowers the cost itself: doubled while that helps, or shortened until it does.

    Parameters
    ----------
    count : callable
        Called at the start of each search.
    length : float
        Of the first step tried, in the manifold's norm; later ones begin with the last one's.
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

        best = at(self.length / norm)
        if best[0] <= f0 + SUFFICIENT * best[1] * df0:
            while (longer := at(2.0 * best[1]))[0] < best[0]:
                best = longer
        else:
            while best[0] > f0 + SUFFICIENT * best[1] * df0:
                if best[1] * norm < SHORTEST:
                    return 0.0, x
                best = at(_parabola_minimum(f0, df0, best[1], best[0], 0.1, 0.5))
        value, t, _ = best
        further = at(_parabola_minimum(f0, df0, t, value, 0.3, 1.7))
        value, t, point = min(best, further, key=lambda step: step[0])
        self.length = t * norm
        return self.length, point


def _parabola_minimum(f0: float, df0: float, t: float, f: float, least: float, most: float) -> float:
    """Where the parabola through f(0), f′(0) and f(t) is lowest, between two multiples of t."""
    curvature = f - f0 - df0 * t
    lowest = -df0 * t / (2.0 * curvature) if curvature > 0 else most
    return t * min(max(lowest, least), most)
