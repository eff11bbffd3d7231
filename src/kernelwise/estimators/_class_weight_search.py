"""Class weights as one more thing that a search chooses: the search is run under each of them."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from kernelwise._core.callers import stacklevel_of_user
from kernelwise.findings import catalogue


def choose_class_weight(
    model: Any, X: Any, y: Any, sample_weight: Any, groups: Any, params: dict[str, Any]
) -> Any:
    """Fit a classifier under each of the weights in its list ``class_weight``, and keep the best of them.

    The first of equal scores is taken. Scores are comparable: the folds and the scorer are the same, and no
    class weight is in a score. Warnings are those of the fit that is kept.
    """
    options = list(model.class_weight)
    if not options:
        raise ValueError("'class_weight' of TunedSVC is an empty list. Pass weights, 'balanced' or None.")
    best, heard, scores = None, [], []
    for option in options:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            one = clone(model).set_params(class_weight=option).fit(X, y, sample_weight, groups, **params)
        scores.append(one.best_score_)
        if best is None or one.best_score_ > best.best_score_:
            best, heard = one, caught
    assert best is not None
    for warning in heard:
        warnings.warn(warning.message, warning.category, stacklevel=stacklevel_of_user())
    listed = "; ".join(f"{option!r}: {score:.4g}" for option, score in zip(options, scores, strict=True))
    finding = catalogue.CLASS_WEIGHTS(class_weight=best.class_weight, scores=listed)
    params = model.get_params(deep=False)
    for name, value in vars(best).items():
        if name not in params:
            setattr(model, name, value)
    model.diagnostics_ = (*best.diagnostics_, finding)
    model.result_ = replace(best.result_, diagnostics=model.diagnostics_)
    return model
