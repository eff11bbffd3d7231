"""What a fit is told: the parameters that all tuned estimators share, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.memory import MEMORY_LIMIT
from kernelwise._core.typing import ScaleLike
from kernelwise._core.validation import check_choice, check_positive
from kernelwise.criteria import as_criterion
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.kernels.precomputed import PRECOMPUTED_DISTANCE
from kernelwise.optimizers import OPTIMIZERS, Optimizer
from kernelwise.search.scoring.scores import Scoring


class Trainer(Protocol):
    """What a tuned estimator makes for a search: scorers, and machines that are not trained yet."""

    def _scorer_of(self, scoring: Scoring) -> Any:
        """What scikit-learn makes of a score."""

    def _machine(self, kernel: Kernel | str, C: Any, epsilon: float | None) -> Any:
        """The machine that is chosen; C is ν for one class, and a list for several quantiles."""

    def _nystroem(self, kernel: Kernel, C: float, epsilon: float | None, random_state: int) -> Any:
        """The Nyström machine that is trained in its place, where an exact one takes too long."""


@runtime_checkable
class BlendTrainer(Trainer, Protocol):
    """A tuned estimator whose final machine may be a blend of several settings."""

    def _blend(self, machines: list[Any], maps: np.ndarray) -> Any:
        """The machine that is a sum of machines, each scaled and shifted by its map."""


#: Words that stand for no kernel of samples.
NO_SAMPLES = ("precomputed", PRECOMPUTED_DISTANCE, "auto")
#: The one rule that ``refit`` knows by name.
ONE_ERROR = "one-standard-error"


@dataclass(frozen=True)
class Effort:
    """How much a search does: what a level of ``effort`` stands for.

    Attributes
    ----------
    of_classes, of_numbers : float
        Rows that a search for classes, or for numbers, looks at, at most, as a multiple of the usual ones.
    weighs : bool
        Whether kernel="auto" also tries kernels with a weight for every feature.
    races : bool
        Whether the forms of kernel="auto" compete on some of many rows first.
    fewest_folds : int
        Folds of cv="auto", at least.
    blends : bool
        Whether the final model is a blend of several settings, with blend="auto".
    n_smooth : int
        Kernels that are scored once more with a smooth loss for a blend of classes, at most.
    """

    of_classes: float = 1.0
    of_numbers: float = 1.0
    weighs: bool = True
    races: bool = True
    fewest_folds: int = 2
    blends: bool = True
    n_smooth: int = 1


#: The levels. What the user says otherwise wins: a kernel, a number of folds, a time budget. Ten folds in
#: place of five, for small sets, and widths nearer to each other gained nothing.
EFFORTS = {
    "fast": Effort(of_classes=0.4, of_numbers=0.75, weighs=False, blends=False, n_smooth=0),
    "normal": Effort(),
    "best": Effort(of_classes=2.0, of_numbers=2.5, races=False, fewest_folds=5, n_smooth=5),
}


@dataclass(frozen=True)
class FitSettings:
    """Parameters of a tuned estimator, as the search reads them; wrong ones raise when it is made.

    ``owner`` is the estimator's name, for messages, and ``seed`` what ``random_state`` gave. The others are
    as in `kernelwise.TunedSVC`; ``Cs`` are values of ν for one class. Of one class there are other kernels
    and criteria, which its estimator checks: ``is_one_class``.
    """

    owner: str
    kernel: Any = "auto"
    criterion: Any = "auto"
    search: Any = None
    Cs: Any = None
    cv: Any = "auto"
    scoring: Any = None
    refit: Any = True
    scale: ScaleLike = "standard"
    tol: float = 1e-3
    max_iter: int = -1
    solver: str = "auto"
    memory_limit: float = MEMORY_LIMIT
    n_jobs: int | None = None
    backend: str | None = None
    effort: str = "normal"
    blend: bool | str = False
    seed: int = 0
    is_one_class: bool = False

    def __post_init__(self) -> None:
        check_choice(self.effort, "effort", self.owner, tuple(EFFORTS))
        is_asked = not isinstance(self.blend, str) and self.blend  # True, also NumPy's
        if is_asked and self.refit is not True and not scores_by_name(self.scoring):
            raise ValueError(
                f"blend=True of {self.owner} blends settings of the search, but refit={self.refit!r} asks "
                "for one of them, or for none. Use refit=True, or blend=False."
            )
        if not self.is_one_class:
            _check_kernel(self.kernel, self.owner)
            if not (isinstance(self.criterion, str) and self.criterion == "auto"):
                as_criterion(self.criterion)
            if self.search is not None and not isinstance(self.search, Optimizer):
                names = ", ".join(map(repr, OPTIMIZERS))
                if not isinstance(self.search, str) or self.search not in OPTIMIZERS:
                    raise ValueError(
                        f"'search' of {self.owner} must be an Optimizer, None or one of {names}, "
                        f"got {self.search!r}."
                    )
            _check_scores(self.scoring, self.refit, self.owner)
        if self.backend == "dask" and find_spec("dask") is None:
            raise ImportError(
                f"backend='dask' of {self.owner} needs dask. "
                'Install it with pip install "kernelwise[dask]".'
            )

    @property
    def kernels(self) -> list[Any]:
        """The kernel, or all of a list of them."""
        return list(self.kernel) if isinstance(self.kernel, list | tuple) else [self.kernel]

    @property
    def blends(self) -> bool:
        """Whether the final model is a blend of settings, where the search has found some."""
        if self.refit is not True and not isinstance(self.steering_name, str):
            return False  # a rule of the user's takes one setting
        if not isinstance(self.blend, str):
            return self.blend
        # A kernel, or a criterion, that the user names is one that the model has.
        is_free = all(isinstance(one, str) and one == "auto" for one in (self.kernel, self.criterion))
        return is_free and EFFORTS[self.effort].blends

    @property
    def others(self) -> dict[str, Any]:
        """Scores that are not maximised but shown beside the one that is, by name."""
        return {name: one for name, one in scores_by_name(self.scoring).items() if name != self.refit}

    @property
    def steering(self) -> Any:
        """The score that the search maximises."""
        return self.steering_score(self.scoring, self.refit)

    @property
    def steering_name(self) -> str | None:
        """Its name, if there are several scores."""
        return self.refit if scores_by_name(self.scoring) else None

    @staticmethod
    def steering_score(scoring: Scoring, refit: object) -> Any:
        """The score that a search maximises: the only one, or the one of several that ``refit`` names."""
        return scores_by_name(scoring).get(refit, scoring) if isinstance(refit, str) else scoring

    @property
    def values_of_C(self) -> np.ndarray | None:
        """Values of C in increasing order, each once, shape (n_Cs,); None if none are given."""
        if self.Cs is None:
            return None
        return np.array(checked_values(self.Cs, "Cs", self.owner, check_positive, "positive float"))

    @property
    def of_solver(self) -> dict[str, Any]:
        """``tol``, ``max_iter`` and ``n_jobs``."""
        return {"tol": self.tol, "max_iter": self.max_iter, "n_jobs": self.n_jobs}

    def check_solver(self, is_gram: bool) -> None:
        """Raise unless the solver takes such samples."""
        if self.solver == "nystroem" and is_gram:
            raise ValueError(
                f"solver='nystroem' of {self.owner} needs kernel values between samples and landmarks, which "
                "a precomputed matrix does not have. Use solver='exact', or pass samples and a kernel."
            )


def _check_scores(scoring: Scoring, refit: object, owner: str) -> None:
    """Raise unless ``scoring`` is one score, or several of which ``refit`` names one."""
    if scoring is None or isinstance(scoring, str) or callable(scoring):
        if not callable(refit) and not isinstance(refit, bool) and refit != ONE_ERROR:
            raise ValueError(
                f"'refit' of {owner} must be True, False, {ONE_ERROR!r} or callable, got {refit!r}."
            )
        return
    named = scores_by_name(scoring)
    if not named or not all(isinstance(name, str) for name in named):
        raise ValueError(
            f"'scoring' of {owner} must be a name, a function, a list of different names or a dict from "
            f"names to scores, got {scoring!r}."
        )
    if not isinstance(refit, str) or refit not in named:
        raise ValueError(
            f"'refit' of {owner} must name the score that the search maximises, one of "
            f"{', '.join(map(repr, named))}, because 'scoring' has several; got {refit!r}."
        )


def scores_by_name(scoring: Scoring) -> dict[Any, Any]:
    """Several scores as a dict; empty for what is no list, tuple, set or dict of different ones."""
    if isinstance(scoring, dict):
        return scoring
    if not isinstance(scoring, list | tuple | set):
        return {}
    try:
        named = {name: name for name in scoring}
    except TypeError:  # a list in a list
        return {}
    return named if len(named) == len(scoring) else {}


def _check_kernel(kernel: object, owner: str) -> None:
    """Raise unless a kernel, or each of a list of them, is a name or an object that a search can choose."""
    if isinstance(kernel, str) and kernel in NO_SAMPLES:
        return
    if not isinstance(kernel, list | tuple):
        as_kernel(kernel, NO_SAMPLES)  # type: ignore[arg-type]  # which refuses what is no kernel
        return
    if not kernel:
        raise ValueError(f"'kernel' of {owner} is an empty list. Pass kernels, or 'auto'.")
    for one in kernel:
        is_word = isinstance(one, str) and one in NO_SAMPLES
        if is_word or (isinstance(one, Kernel) and one.takes_distances):
            raise ValueError(
                f"'kernel' of {owner} is a list with {one!r}, which is not a kernel of samples. Give names "
                "such as 'rbf' and 'laplacian', or Kernel objects."
            )
        as_kernel(one)


def checked_values(
    given: ArrayLike, name: str, owner: str, check: Callable[[float, str, str], object], kind: str
) -> list[float]:
    """The numbers that a parameter lists, in increasing order, each once and checked."""
    try:
        values = np.ravel(np.asarray(given)).tolist()
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name!r} of {owner} must be a list of numbers, got {given!r}.") from error
    if not values:
        raise ValueError(f"{name!r} of {owner} is empty. Give at least one {kind}, or None.")
    for value in values:
        check(value, name, owner)
    return sorted({float(value) for value in values})
