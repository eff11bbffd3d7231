"""The base of machines on Nyström features: landmarks and C are chosen, and the machine is trained."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from kernelwise._core.validation import seed_of
from kernelwise.estimators._exportable import Portable
from kernelwise.estimators._machine import KernelMachine
from kernelwise.estimators.kernel_argument import kernel_from_data
from kernelwise.kernels import as_kernel
from kernelwise.large.linear_machine import Loss
from kernelwise.search.data.canonical import DistinctRows
from kernelwise.search.data.samples import prepare
from kernelwise.search.engine.context import Deadline
from kernelwise.search.propose.landmarks import Candidate, HeldOutValues, NystroemSearch, Rows, Score
from kernelwise.solvers.units import in_units


class NystroemMachine(Portable, KernelMachine):
    """A linear machine on Nyström features; a subclass has the parameters that are read here, and a loss."""

    C: Any
    n_components: Any
    memory_limit: float
    random_state: Any

    @abstractmethod
    def fit_rows(
        self, rows: Rows, score: Score, deadline: Deadline, full: Rows | None = None
    ) -> HeldOutValues:
        """Train on prepared rows, and return the decision values of those that were held out.

        Rows are distinct and in canonical order, ``score`` is as in `NystroemSearch`. If they are a sample,
        ``full`` are all rows; the final machine is trained on them.
        """

    def _check_parameters(self) -> None:
        self._validate_params()
        if not isinstance(self.C, str):
            in_units(self.C, 1.0)
        as_kernel(self.kernel)  # refused before anything is computed

    def _distinct(self, X: Any, index: np.ndarray, weight: np.ndarray) -> tuple[DistinctRows, Any]:
        """Merge equal rows with the same index, and return them and their samples in canonical order."""
        prepared = prepare(X, index, weight, scale=None, owner=type(self).__name__)
        return prepared.distinct, prepared.Z

    def _train(
        self,
        rows: Rows,
        score: Score,
        deadline: Deadline,
        full: Rows | None,
        loss: Loss,
        strategy: str = "ovo",
    ) -> tuple[NystroemSearch, Candidate]:
        """Choose landmarks and C, train, and set the fitted attributes."""
        labels = None if rows.classes is None else rows.y
        self.n_features_in_ = rows.Z.shape[1]
        self.kernel_ = kernel_from_data(self.kernel, rows.Z, labels, rows.weight)
        seed = seed_of(self.random_state)
        search = NystroemSearch(rows, self.kernel_, score, self.memory_limit, deadline, seed, loss, strategy)
        chosen = search.run(self.n_components, self.C)
        solutions = search.train(chosen, full)
        coefficients = np.array([solution.coefficients for solution in solutions])
        self.support_, self.support_vectors_ = chosen.landmarks, chosen.map.landmarks
        self.dual_coef_ = coefficients[:, :-1] @ chosen.map.normalization.T
        self.intercept_ = coefficients[:, -1]
        self.n_components_ = chosen.map.rank
        self.n_iter_ = np.array([solution.n_iter for solution in solutions])
        self.C_, self.held_out_score_ = float(chosen.Cs[chosen.best]), chosen.best_score
        self.search_results_ = {
            "n_components": np.repeat(
                [len(one.landmarks) for one in search.candidates], [len(one.Cs) for one in search.candidates]
            ),
            "C": np.concatenate([one.Cs for one in search.candidates]),
            "score": np.concatenate([one.scores for one in search.candidates]),
        }
        self._n_trained = search.n_trained
        return search, chosen
