"""scikit-learn's names that are not promised, or not in every version; nothing else may import such names.

Among them are constraints of parameters, which an estimator has as ``_parameter_constraints``. Its ``fit``
begins with ``_validate_params()``, which raises scikit-learn's ``InvalidParameterError``, a ValueError and
TypeError: "The 'C' parameter of SVC must be a positive number. Got -1 instead." The words in it are ours, and
True is no number. `ELSEWHERE` are parameters with checks of their own, since what they may be depends on the
data or on other parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from types import FrameType
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import Interval, Options, StrOptions

__all__ = ["CallbackSupportMixin", "safe_indexing", "with_callbacks"]  # and all that is defined here

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: this scikit-learn has no callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """The method itself: this scikit-learn has no callbacks."""
        return method


def stacklevel_of_user() -> int:
    """The ``stacklevel`` of a warning that should name the line of the user, whatever wraps our methods.

    That line is in the first frame that is neither ours nor scikit-learn's.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _package(frame) in ("kernelwise", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level


def _package(frame: FrameType) -> str:
    """The package that a frame runs code of; empty for code that has no module, such as that of `exec`."""
    return str(frame.f_globals.get("__name__", "")).split(".")[0]


class Number(Interval):
    """Numbers of an interval, in words; True and False are none.

    ``closed`` says which of its ends are a part of it: an end that is None, infinity, never is.
    """

    def __init__(self, words: str, kind: type, least: float | None, most: float | None, closed: str) -> None:
        super().__init__(kind, least, most, closed=closed)
        self.words = words

    def is_satisfied_by(self, val: object) -> bool:
        return not isinstance(val, bool) and bool(super().is_satisfied_by(val))

    def __str__(self) -> str:
        return self.words


class Word(StrOptions):
    """One of some words, which are named in the order in which they are given."""

    def __init__(self, *names: str) -> None:
        super().__init__(set(names))
        self.names = names

    def __str__(self) -> str:
        return f"{'one of ' if len(self.names) > 1 else ''}{', '.join(map(repr, self.names))}"


class TrueOrFalse(Options):
    """A truth value of Python or numpy."""

    def __init__(self) -> None:
        super().__init__(bool, {True, False})

    def is_satisfied_by(self, val: object) -> bool:
        return isinstance(val, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


def one_of(names: Iterable[str]) -> list[Any]:
    """One of some words."""
    return [Word(*names)]


def at_least(least: int) -> list[Any]:
    """An integer that is not smaller."""
    return [Number(f"an integer of at least {least}", Integral, least, None, "left")]


ELSEWHERE = "no_validation"
FLAG = [TrueOrFalse()]
FINITE = [Number("a finite number", Real, None, None, "neither")]
POSITIVE = [Number("a positive number", Real, 0, None, "neither")]
NOT_NEGATIVE = [Number("a finite number that is not negative", Real, 0, None, "left")]
#: How an estimator is run, not what it learns.
MAX_ITER: dict[str, Any] = {
    "max_iter": [
        Number("-1", Integral, -2, 0, "neither"),
        Number("a positive integer", Integral, 1, None, "left"),
    ]
}
MEMORY: dict[str, Any] = {"memory_limit": POSITIVE}
SEED: dict[str, Any] = {
    "random_state": [
        None,
        Number("an integer from 0 to 2**32 - 1", Integral, 0, 2**32 - 1, "both"),
        np.random.RandomState,
    ]
}
THREADS: dict[str, Any] = {
    "n_jobs": [
        None,
        Number("a number of threads", Integral, 1, None, "left"),
        Number("-1 for all cores", Integral, None, -1, "right"),
    ]
}
VERBOSE: dict[str, Any] = {"verbose": [Number("an integer", Integral, None, None, "neither"), *FLAG]}
