"""Named parameters, and the free ones among them as a vector: what kernels and criteria have in common."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike


def constructor_params(instance: object) -> dict[str, Any]:
    """Constructor arguments and their values, in declaration order."""
    names = _constructor_names(type(instance))  # type: ignore[arg-type]
    kept = getattr(instance, "cvargs", {})  # of scikit-learn's repeated folds, what they pass on
    return {name: kept[name] if name in kept else getattr(instance, name) for name in names}


@cache
def _constructor_names(kind: type) -> tuple[str, ...]:
    # A search makes a kernel for every point: looking up the signature took a tenth of its time.
    if kind.__init__ is object.__init__:  # type: ignore[misc]
        return ()
    return tuple(inspect.signature(kind.__init__).parameters)[1:]  # type: ignore[misc]


@dataclass(frozen=True)
class Hyperparameter:
    """Free parameter of a kernel or criterion: its bounds, and whether ``theta`` holds its logarithm.

    Attributes
    ----------
    name : str
        Of the constructor argument, a number or an array.
    bounds : (float, float), default=(1e-6, 1e6)
        Lowest and highest value, in the parameter's own units.
    is_log : bool, default=True
        Whether ``theta`` holds the logarithm, as for everything that is positive.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import RBF

    A search over γ moves log γ, between these bounds:

    >>> RBF.hyperparameters
    (Hyperparameter(name='gamma', bounds=(1e-06, 1000000.0), is_log=True),)
    >>> RBF(gamma=1.0).bounds.round(2)
    array([[-13.82,  13.82]])
    """

    name: str
    bounds: tuple[float, float] = (1e-6, 1e6)
    is_log: bool = True


class HasParams:
    """Scikit-learn's parameter protocol for objects whose attributes are their constructor arguments."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Constructor arguments and their values, in declaration order."""
        return constructor_params(self)

    def set_params(self, **params: Any) -> Self:
        """Change constructor arguments in place; leaves all as they were if one is not acceptable."""
        before = self.get_params()
        unknown = sorted(set(params) - set(before))
        if unknown:
            raise ValueError(f"{type(self).__name__} has no parameter {unknown[0]!r}; it has {list(before)}.")
        try:
            self.__init__(**{**before, **params})  # type: ignore[misc]  # which checks them
        except ValueError:
            self.__dict__.update(before)
            raise
        return self


class Parametrized(HasParams):
    """A value object whose constructor arguments are its parameters; some of them a search may move.

    A subclass lists the free ones, in declaration order, in ``hyperparameters``.
    """

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = ()

    @property
    def theta(self) -> np.ndarray:
        """Free parameters, flattened in declaration order; logarithms where ``Hyperparameter.is_log``."""
        parts = [np.empty(0)]
        for h in self.hyperparameters:
            value = np.ravel(np.asarray(getattr(self, h.name), dtype=float))
            parts.append(np.log(value) if h.is_log else value)
        return np.concatenate(parts)

    @property
    def theta_values(self) -> np.ndarray:
        """Free parameters in their own units, flattened in the order of `theta_names`."""
        named = [np.ravel(np.asarray(getattr(self, h.name), dtype=float)) for h in self.hyperparameters]
        return np.concatenate([np.empty(0), *named])

    def with_theta(self, theta: ArrayLike) -> Self:
        """Return a copy with other values of the free parameters."""
        theta = np.asarray(theta, dtype=float)
        expected = self.theta.size
        if theta.shape != (expected,):
            raise ValueError(f"theta of {self} has shape ({expected},), got {theta.shape}.")
        changes: dict[str, Any] = {}
        start = 0
        for h in self.hyperparameters:
            old = np.asarray(getattr(self, h.name))
            piece = theta[start : start + old.size]
            start += old.size
            piece = np.exp(piece) if h.is_log else piece.copy()
            changes[h.name] = float(piece[0]) if old.ndim == 0 else piece.reshape(old.shape)
        return self._copy(**changes)

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest value of each entry of ``theta``, shape (n_theta, 2)."""
        rows = []
        for h in self.hyperparameters:
            limits = np.log(h.bounds) if h.is_log else np.asarray(h.bounds, dtype=float)
            rows.append(np.tile(limits, (np.size(getattr(self, h.name)), 1)))
        return np.concatenate(rows) if rows else np.empty((0, 2))

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Name of the parameter behind each entry of ``theta``, such as ``"gamma"`` or ``"q[3]"``."""
        names: list[str] = []
        for h in self.hyperparameters:
            value = np.asarray(getattr(self, h.name))
            index = (", ".join(map(str, i)) for i in np.ndindex(value.shape))
            names += [h.name] if value.ndim == 0 else [f"{h.name}[{i}]" for i in index]
        return tuple(names)

    def _copy(self, **changes: Any) -> Self:
        return type(self)(**{**self.get_params(), **changes})

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]  # parameters may be changed in place

    def __repr__(self) -> str:
        shown = (f"{name}={_short(value)}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({', '.join(shown)})"


def _same(a: Any, b: Any) -> bool:
    if any(value is None or isinstance(value, str) for value in (a, b)):
        return type(a) is type(b) and bool(a == b)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, Parametrized) or isinstance(b, Parametrized):
        return bool(a == b)
    return np.array_equal(a, b)


def _short(value: object) -> str:
    """A parameter in at most one line: numbers to six digits, long arrays by their ends."""
    if value is None or isinstance(value, str | bool):
        return repr(value)
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_short, value))})"
    if not isinstance(value, int | float | np.number | np.ndarray):
        return repr(value)
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array.item():.6g}"
    if array.ndim == 1:
        return np.array2string(array, precision=4, threshold=6, edgeitems=2, separator=", ")
    return f"<array of shape {array.shape}>"
