"""What scorers are shown of held-out decision values: labels of classes, or predictions of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from kernelwise.exceptions import IncompatibleError
from kernelwise.multiclass import STRATEGIES, decide_index, labels_at, shown_values
from kernelwise.search.scoring.scores import (
    OF_NUMBERS,
    OF_PROBABILITIES,
    OF_TWO,
    PROBABILITY_SCORES,
    FoldAnswers,
    Scoring,
    score_of,
)
from kernelwise.solvers.probability import class_probabilities, most_likely, shown_odds

#: The largest exponent: predictions of logarithms that run away stay finite, and so do their squares.
LARGEST = 300.0
#: Scores of logarithms are no lower: a prediction that ran away must not outweigh all others.
WORST = -1.0
#: What makes the labels of one test part.
Labels = Callable[[], np.ndarray]


class HeldOutMachine(ClassifierMixin, BaseEstimator):
    """What a scorer sees in place of a trained machine: its labels and decision values for one test part.

    ``labels`` makes the labels, if a scorer asks. Asked about any other samples than ``X``, it refuses.
    """

    def __init__(
        self,
        X: object,
        classes: np.ndarray,
        labels: Labels,
        decision: np.ndarray | None,
        probabilities: np.ndarray | None = None,
    ) -> None:
        self.X = X
        self.classes = classes
        self.labels = labels
        self.decision = decision
        self.probabilities = probabilities
        self.gave_decision = False

    @property
    def classes_(self) -> np.ndarray:
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: object) -> np.ndarray:
        check_same(X, self.X, ClassAnswers.peer)
        return self.labels()

    def decision_function(self, X: object) -> np.ndarray:
        check_same(X, self.X, ClassAnswers.peer)
        assert self.decision is not None
        self.gave_decision = True
        return self.decision

    @available_if(lambda machine: machine.probabilities is not None)
    def predict_proba(self, X: object) -> np.ndarray:
        check_same(X, self.X, ClassAnswers.peer)
        self.gave_decision = True  # probabilities follow from decision values
        return np.asarray(self.probabilities)


def check_same(X: object, known: object, peer: str) -> None:
    """Raise unless a scorer asks about the test part itself."""
    if X is not known:
        raise IncompatibleError(
            "A scorer asked for predictions of other samples than the test part, but the search has no "
            f"others. Use GridSearchCV({peer}, ...) with this scorer."
        )


class KnownPredictions(RegressorMixin, BaseEstimator):
    """What a scorer sees in place of a trained regression: its predictions for one test part."""

    gave_decision = False

    def __init__(self, X: object = None, predictions: Any = None) -> None:
        self.X = X
        self.predictions = predictions

    def predict(self, X: object) -> np.ndarray:
        check_same(X, self.X, NumberAnswers.peer)
        return self.predictions

    def __sklearn_is_fitted__(self) -> bool:
        return True


@dataclass(frozen=True)
class ClassAnswers:
    """Labels by a strategy (a key of `STRATEGIES`), and decision values with the columns that scorers see."""

    #: What a scorer can ask for, which ones ask for no more, and which estimator of scikit-learn has more.
    known: ClassVar[str] = "labels and decision values"
    usable: ClassVar[str] = ", ".join(map(repr, OF_TWO))
    peer: ClassVar[str] = "SVC()"

    strategy: str
    shape: str
    reject_label: Any
    #: Whether decision values decide between classes of equal votes; else the name that comes first does.
    breaks_ties: bool = False

    @property
    def goes_by_index(self) -> bool:
        """Whether labels are those of `decide_index`."""
        return self.breaks_ties and not STRATEGIES[self.strategy].rejects

    def indices(self, decision: np.ndarray, n_classes: int) -> np.ndarray:
        """Class indices of shape (n_Cs, n_test); −1 for rejected rows."""
        if self.goes_by_index:
            return decide_index(decision, n_classes, self.strategy)
        return STRATEGIES[self.strategy].decide(decision, n_classes)

    def labels(self, decision: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Labels of shape (n_Cs, n_test)."""
        return labels_at(self.indices(decision, len(classes)), classes, self.strategy, self.reject_label)

    def fast(self, scoring: Scoring, held: FoldAnswers) -> np.ndarray | None:
        """Scores of shape (n_Cs,) by a short cut, if there is one."""
        score = score_of(scoring)
        return None if score is None else score.fast(held)

    def machine(self, X: object, classes: np.ndarray, labels: Labels, decision: np.ndarray | None) -> Any:
        """The machine that a scorer sees; one that goes by labels needs no decision values."""
        values = decision
        if decision is not None:
            values = shown_values(decision, classes.size, self.shape, STRATEGIES[self.strategy].machines)
        return HeldOutMachine(X, classes, labels, values)

    def truth(self, y: np.ndarray) -> np.ndarray:
        """What a scorer compares with."""
        return y


@dataclass(frozen=True)
class ProbabilityAnswers:
    """Labels and probabilities from log odds (`cross_fitted_odds`), which stand for decision values here.

    A scorer sees what the trained estimator will show: labels are those of the largest probability, decision
    values are log odds. Parameters are those of `ClassAnswers`.
    """

    known: ClassVar[str] = "labels, probabilities and decision values"
    usable: ClassVar[str] = ", ".join(map(repr, (*OF_TWO, *OF_PROBABILITIES)))
    peer: ClassVar[str] = "SVC()"

    strategy: str
    shape: str
    reject_label: Any

    def indices(self, odds: np.ndarray, n_classes: int) -> np.ndarray:
        """Class indices of shape (n_Cs, n_test); −1 for rejected rows."""
        return most_likely(self._flat(odds), n_classes, self.strategy).reshape(odds.shape[:2])

    def labels(self, odds: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Labels of shape (n_Cs, n_test)."""
        return labels_at(self.indices(odds, len(classes)), classes, self.strategy, self.reject_label)

    def fast(self, scoring: Scoring, held: FoldAnswers) -> np.ndarray | None:
        """Scores of shape (n_Cs,) by a short cut, if there is one."""
        of_probabilities = PROBABILITY_SCORES.get(scoring) if isinstance(scoring, str) else None
        if of_probabilities is None:
            score = score_of(scoring)
            return None if score is None else score.fast(held)
        p = self._probabilities(held.decision, held.classes)
        return of_probabilities(p, np.searchsorted(held.classes, held.y), held.weight)

    def machine(self, X: object, classes: np.ndarray, labels: Labels, odds: np.ndarray) -> Any:
        """The machine that a scorer sees."""
        machines = STRATEGIES[self.strategy].machines
        values = shown_odds(self._flat(odds[None]), len(classes), self.shape, machines)
        return HeldOutMachine(X, classes, labels, values, self._probabilities(odds[None], classes)[0])

    def truth(self, y: np.ndarray) -> np.ndarray:
        """What a scorer compares with."""
        return y

    def _probabilities(self, odds: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Probabilities of shape (n_Cs, n_test, n_classes)."""
        p = class_probabilities(self._flat(odds), len(classes), STRATEGIES[self.strategy].machines)
        return p.reshape(*odds.shape[:2], len(classes))

    @staticmethod
    def _flat(odds: np.ndarray) -> np.ndarray:
        """Odds of all values of C one below the other, of shape (n_Cs · n_test, n_machines)."""
        return odds.reshape(odds.shape[0] * odds.shape[1], -1)


@dataclass(frozen=True)
class BothAnswers(ClassAnswers):
    """Labels and decision values as of `ClassAnswers`, and probabilities, for a scorer of the user's own.

    What it sees are decision values and, behind them, log odds, of shape (n_Cs, n_test, 2 · n_machines).
    """

    known: ClassVar[str] = ProbabilityAnswers.known

    def indices(self, both: np.ndarray, n_classes: int) -> np.ndarray:
        """Class indices of shape (n_Cs, n_test), by decision values, as of every named score of labels."""
        return super().indices(self._part(both, 0), n_classes)

    def fast(self, scoring: Scoring, held: FoldAnswers) -> np.ndarray | None:
        """Nothing is known of a user's own function."""
        return None

    def machine(self, X: object, classes: np.ndarray, labels: Labels, both: np.ndarray | None) -> Any:
        """The machine that a scorer sees."""
        assert both is not None
        decision, odds = (self._part(both[None], part)[0] for part in (0, 1))
        machine = super().machine(X, classes, labels, decision)
        p = class_probabilities(odds.reshape(len(odds), -1), len(classes), STRATEGIES[self.strategy].machines)
        machine.probabilities = p
        return machine

    @staticmethod
    def _part(both: np.ndarray, part: int) -> np.ndarray:
        """Decision values (0) or log odds (1), without the last axis if there is one machine."""
        found = np.split(both, 2, axis=2)[part]
        return found[:, :, 0] if found.shape[2] == 1 else found


def from_logarithms(values: np.ndarray, offset: float) -> np.ndarray:
    """Numbers whose logarithms, after the offset was added, are these values; none is negative."""
    return np.maximum(np.exp(np.minimum(values, LARGEST)) - offset, 0.0)


def pinball_losses(residual: np.ndarray, quantile: float) -> np.ndarray:
    """max(q r, (q − 1) r) of residuals r = y − prediction, in their shape."""
    return np.maximum(quantile * residual, (quantile - 1.0) * residual)


@dataclass(frozen=True)
class NumberAnswers:
    """Predictions of targets standardised by mean and deviation, which scorers see in the units of y.

    With an ``offset``, the standardised targets are logarithms of y + offset, and ``variance`` is that of y.
    With ``quantiles``, predictions are those of quantiles, of shape (…, n_quantiles) if there are several,
    and ``losses`` are the mean pinball losses of the best constants.
    """

    known: ClassVar[str] = "predictions"
    usable: ClassVar[str] = ", ".join(map(repr, OF_NUMBERS))
    peer: ClassVar[str] = "SVR()"

    mean: float
    deviation: float
    offset: float | None = None
    variance: float = 1.0
    quantiles: tuple[float, ...] = ()
    losses: tuple[float, ...] = ()

    def indices(self, decision: np.ndarray, n_classes: int) -> np.ndarray:
        """Standardised predictions of shape (n_Cs, n_test), which have no index."""
        return decision

    def labels(self, decision: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """The same."""
        return decision

    def fast(self, scoring: Scoring, held: FoldAnswers) -> np.ndarray | None:
        """1 − (mean squared error) / (variance of all y), the default score.

        Its mean over the folds is R² of all held-out predictions, and a fold of one row has a score, too.
        """
        if scoring is not None:
            return None
        if self.quantiles:
            return self._saved(held)
        if self.offset is None:
            return 1.0 - np.average((held.decision - held.y) ** 2, axis=1, weights=held.weight)
        squares = (self.truth(held.decision) - self.truth(held.y)) ** 2
        return np.maximum(1.0 - np.average(squares, axis=1, weights=held.weight) / self.variance, WORST)

    def _saved(self, held: FoldAnswers) -> np.ndarray:
        """1 − (mean pinball loss) / (that of the best constant for all y), averaged over the quantiles."""
        several = len(self.quantiles) > 1
        predicted = np.sort(held.decision, axis=2) if several else held.decision[:, :, None]
        y = held.y
        if self.offset is not None:
            predicted, y = self.truth(predicted), self.truth(y)
        scores = np.array(
            [
                1.0 - np.average(pinball_losses(y - predicted[..., m], q), axis=1, weights=held.weight) / loss
                for m, (q, loss) in enumerate(zip(self.quantiles, self.losses, strict=True))
            ]
        ).mean(axis=0)
        return scores if self.offset is None else np.maximum(scores, WORST)

    def machine(self, X: object, classes: np.ndarray, labels: Labels, decision: np.ndarray) -> Any:
        """The machine that a scorer sees."""
        return KnownPredictions(X, self.truth(decision))

    def truth(self, y: np.ndarray) -> np.ndarray:
        """Values in the units of y."""
        values = self.mean + self.deviation * y
        return values if self.offset is None else from_logarithms(values, self.offset)
