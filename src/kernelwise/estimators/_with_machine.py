"""What estimators share that have chosen a machine: from new samples to its values, and a report."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from kernelwise.estimators._machine import SamplesOrGram
from kernelwise.search.data.scaling import apply_scaler


class WithMachine(SamplesOrGram):
    """An estimator whose ``best_estimator_`` answers, after its ``encoder_`` and its ``scaler_``."""

    scaler_: Any
    best_estimator_: Any
    _gram_columns: np.ndarray | None

    def report(self, path: Any, X: Any = None, y: Any = None, **options: Any) -> None:
        """Write what was chosen, and why, as one HTML file that needs no network.

        Parameters
        ----------
        path : path-like
            The file is written whole or not at all.
        X, y : arrays of shape (n_samples, n_features) and (n_samples,), default=None
            The training samples. With them the report has decision regions and findings about the data;
            that of `TunedOneClassSVM` says what is unusual about the strangest samples, and needs no y.
        **options
            ``test``, ``comparison``, ``command``, ``source``, ``seed``, ``preparation``, ``lines``,
            ``n_columns``: see `kernelwise.reports.report_data`.
        """
        from kernelwise.reports import report_data, write_report

        write_report(report_data(self, X, y, **options), path)

    def machine_samples(self, X: Any) -> Any:
        """Samples as ``best_estimator_`` takes them, of shape (n_samples, n_features or n_trained)."""
        check_is_fitted(self, "cv_results_")
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(f"{type(self).__name__} was fitted with refit=False and has no final model.")
        X = self._read_new(X)
        return X[:, self._gram_columns] if self._is_gram() else apply_scaler(self.scaler_, X)

    def _read_new(self, X: Any) -> Any:
        encoder = getattr(self, "encoder_", None)
        if encoder is not None:
            return encoder.read(X)
        try:
            return super()._read_new(X)
        except ValueError as error:
            if "contains NaN" not in str(error):
                raise
            raise ValueError(
                "X contains NaN, but the training samples had no gaps. Fill the gaps, or train the model on "
                "samples with gaps."
            ) from error

    def machine_values(self, X: Any) -> np.ndarray:
        """Return the decision values of every machine, of shape (n_samples, n_machines)."""
        Z = self.machine_samples(X)  # which says so where there is no machine
        return self.best_estimator_.machine_values(Z)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self._is_gram()
        return tags

    def _input(self) -> dict[str, Any]:
        """What samples are turned into; a search compares Gram matrices in double precision."""
        return {**super()._input(), "dtype": np.float64}
