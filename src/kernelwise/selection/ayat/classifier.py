"""A scikit-learn classifier with a kernel for every pair of classes (paper 001, Ayat and others 2002)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, column_or_1d
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.labels import check_are_classes, encode_labels
from kernelwise._core.reading import read_samples
from kernelwise._core.validation import check_choice, check_range
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.multiclass import choose_reject_label, decide_index, labels_at, shown_values
from kernelwise.optimizers import Optimizer
from kernelwise.selection.ayat.pair_machines import COMBINE, AyatResult
from kernelwise.selection.ayat.procedure import PAPER_SEARCH, ayat_select


class PairwiseSVC(ClassifierMixin, BaseEstimator):
    """Support vector classifier with a separate kernel and C for every pair of classes.

    `ayat_select` tunes them by the error on held-out rows (paper 001, section 4); the machines are then
    trained on all rows. `SVC`, `TunedSVC` and scikit-learn's classifier have one kernel for all pairs.

    Parameters
    ----------
    kernel : str or Kernel, default="rbf"
        The kernel from which the search of every pair starts; a name gets its parameters from the pair's
        data. "kmod" is the paper's.
    C : float, default=1000.0
        Value of C from which the search starts.
    combine : {"vote", "reject"}, default="vote"
        The class that wins most of its pairs, sums of decision values settling ties; or the class that wins
        all of its pairs, and ``reject_label`` for samples that have none.
    reject_label : object, default=None
        Default −1 for numbers; labels that are not numbers need one.
    validation : float, array of rows, or (X, y), default=1/3
        The rows that judge the parameters, as in `ayat_select`.
    loss : {"error", "likelihood"}, default="error"
        What they are judged by; see :class:`~kernelwise.criteria.ValidationError`.
    refit : bool, default=True
        Whether the machines are trained again on all rows with the parameters found.
    optimizer : Optimizer, default=None
        None is the default of `ayat_select`, the paper's.
    choose, scan, tol, random_state, n_jobs
        As in `ayat_select`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    result_ : AyatResult
        The machines, and how they were found.
    reject_label_ : object
        Label of rejected samples; None if none are rejected.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Every class needs rows in both parts. Features should be of one scale: put a scaler before it in a
    pipeline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import PairwiseSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PairwiseSVC().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True

    One kernel for each of the three pairs:

    >>> len({pair.tuned.kernel.gamma for pair in model.result_.pairs})
    3
    """

    @explains_missing()
    def __init__(
        self,
        kernel: Any = "rbf",
        C: float = 1000.0,
        *,
        combine: str = "vote",
        reject_label: Any = None,
        validation: Any = 1 / 3,
        loss: str = "error",
        refit: bool = True,
        choose: str = "lowest",
        scan: bool = True,
        optimizer: Optimizer | None = None,
        tol: float = 1e-8,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.combine = combine
        self.reject_label = reject_label
        self.validation = validation
        self.loss = loss
        self.refit = refit
        self.choose = choose
        self.scan = scan
        self.optimizer = optimizer
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Tune and train the machine of every pair.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        """
        check_choice(self.combine, "combine", "PairwiseSVC", tuple(COMBINE))
        X, y = read_samples(self, X, y, dtype=np.float64, accept_sparse="csr")
        check_range(X)
        y = column_or_1d(y, warn=True)
        check_are_classes(y)
        classes, _ = encode_labels(y)
        strategy = COMBINE[self.combine]
        self.reject_label_ = choose_reject_label(self.reject_label, classes, strategy, "PairwiseSVC")
        names = ("kernel", "C", "validation", "loss", "refit", "choose", "scan", "tol", "random_state")
        settings = {name: getattr(self, name) for name in (*names, "n_jobs")}
        optimizer = PAPER_SEARCH if self.optimizer is None else self.optimizer
        self.result_: AyatResult = ayat_select(X, y, optimizer=optimizer, **settings)
        self.classes_ = self.result_.classes
        self._strategy = strategy
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Values of shape (n_samples,) for two classes, positive for the second; else (n_samples, n_classes).

        Of more classes each has its votes, and a share below ½ that ranks equal votes.
        """
        return shown_values(self._values(X), len(self.classes_), "ovr", "ovo")

    def predict(self, X: Any) -> np.ndarray:
        """Predicted labels, of shape (n_samples,); ``reject_label_`` for rejected samples."""
        index = decide_index(self._values(X), len(self.classes_), self._strategy)
        return labels_at(index, self.classes_, self._strategy, self.reject_label_)

    def _values(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = read_samples(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        return self.result_.machine_values(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
