"""The table of a grid search, laid out as scikit-learn's ``cv_results_``."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from scipy.stats import rankdata


def cv_results(
    candidates: list[dict[str, Any]],
    times: dict[str, np.ndarray],
    test: dict[str, np.ndarray],
    train: dict[str, np.ndarray],
) -> dict[str, Any]:
    """Lay out times ("fit_time", "score_time") and scores by metric, all of shape (n_candidates, n_splits).

    ``train`` may be empty.
    """
    results: dict[str, Any] = {}
    for name, table in times.items():
        results[f"mean_{name}"], results[f"std_{name}"] = table.mean(axis=1), table.std(axis=1)
    results |= _parameter_columns(candidates)
    results["params"] = candidates
    for metric in test:
        results |= _score_columns(f"test_{metric}", test[metric])
        results[f"rank_test_{metric}"] = _ranks(results[f"mean_test_{metric}"])
        if train:
            results |= _score_columns(f"train_{metric}", train[metric])
    return results


def select_best(refit: Any, metric: str, results: dict[str, Any]) -> int:
    """Index of the best candidate: the first of rank one, or what the callable ``refit`` returns."""
    if not callable(refit):
        return int(results[f"rank_test_{metric}"].argmin())
    best = refit(results)
    if not isinstance(best, numbers.Integral):
        raise TypeError(
            f"The callable 'refit' must return an integer, the index of a candidate; got {best!r}."
        )
    if not 0 <= int(best) < len(results["params"]):
        raise IndexError(
            f"The callable 'refit' returned {best}, but there are {len(results['params'])} candidates."
        )
    return int(best)


def _parameter_columns(candidates: list[dict[str, Any]]) -> dict[str, np.ma.MaskedArray]:
    """One masked array for each parameter, masked where a candidate does not have it."""
    columns = {}
    for name in {name: None for params in candidates for name in params}:
        indices = [k for k, params in enumerate(candidates) if name in params]
        values = [candidates[k][name] for k in indices]
        is_plain = all(isinstance(value, (numbers.Number, np.generic)) for value in values)
        dtype = np.array(values).dtype if is_plain else np.dtype(object)
        data, mask = np.empty(len(candidates), dtype), np.ones(len(candidates), dtype=bool)
        for k, value in zip(indices, values, strict=True):
            data[k] = value  # one by one: a value may be a sequence
        mask[indices] = False
        columns[f"param_{name}"] = np.ma.MaskedArray(data, mask=mask)
    return columns


def _score_columns(name: str, table: np.ndarray) -> dict[str, np.ndarray]:
    columns = {f"split{k}_{name}": table[:, k] for k in range(table.shape[1])}
    mean = np.average(table, axis=1)
    if not np.isfinite(mean).all():
        warnings.warn(f"One or more of the {name.split('_')[0]} scores are non-finite: {mean}", stacklevel=5)
    std = np.sqrt(np.average((table - mean[:, None]) ** 2, axis=1))
    return columns | {f"mean_{name}": mean, f"std_{name}": std}


def _ranks(mean: np.ndarray) -> np.ndarray:
    """1 is the highest mean, ties share the best rank, and a failed candidate ties with the worst."""
    if np.isnan(mean).all():
        return np.ones(mean.size, dtype=np.int32)
    return rankdata(-np.nan_to_num(mean, nan=np.nanmin(mean) - 1.0), method="min").astype(np.int32)
