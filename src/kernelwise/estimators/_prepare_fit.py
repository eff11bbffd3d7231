"""The first two steps of a fit, samples and folds, and the validator that scores kernels on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector

from kernelwise._core.text import count
from kernelwise._core.validation import seed_of
from kernelwise.estimators._routing import Routed, asked_by_row
from kernelwise.estimators.kernel_argument import matrix_check
from kernelwise.estimators.settings import scores_by_name
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.kernels import KERNELS, Kernel, as_kernel
from kernelwise.search.data.folds import assign_folds
from kernelwise.search.data.group_folds import folds_of
from kernelwise.search.data.samples import Prepared, prepare
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.runner import Here
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.scoring.scorers import HeldOutScorer
from kernelwise.search.verdict.leaks import column_findings
from kernelwise.tables import Table, by_column, findings_of_table, judge_texts, learn_encoder, to_table


def prepare_fit(
    model: Any, X: Any, y: Any, sample_weight: Any, context: FitContext, routed: Routed
) -> tuple[CrossValidator, Prepared, list[Finding]]:
    """What scores kernels on the folds, the rows, and columns that leak the target."""
    me = type(model).__name__
    frame = None if model._is_gram() else to_table(X, model.categorical_features, me)
    # What is checked of a table besides its columns are its shape and the targets.
    stand_in = X if frame is None else np.zeros(frame.shape)
    X, y, identity, weight = model._check(stand_in, y, sample_weight)
    if frame is not None:
        if context.encoder is None:
            frame = judge_texts(frame, np.asarray(y), is_classifier(model))
        X = encode_table(model, frame, weight, context)
    name_features(model, X, context)
    for kernel in model.kernel if isinstance(model.kernel, list | tuple) else [model.kernel]:
        if isinstance(kernel, Kernel) or kernel in KERNELS:  # a list is refused before any of it is tried
            as_kernel(kernel).check_takes(X)
    seed, check_matrix = seed_of(model.random_state), matrix_check(model.kernel)
    to_score = asked_by_row(routed, weight, is_weighted=sample_weight is not None)
    apart = None if to_score is None else to_score.apart
    layout = None if frame is None else model.encoder_.layout
    how = {"scale": model.scale, "owner": me, "check_matrix": check_matrix, "apart": apart}
    prepared = prepare(X, identity, weight, **how, layout=layout)
    model.scaler_ = prepared.scaler
    rows = prepared.distinct.rows
    family = model._family(y[rows], prepared.distinct.weight)
    samples = prepared.samples(family.encode, y)
    if context.full_data is not None:
        context.warn(context.full_data.scaled_by(prepared.scaler, seed), KernelwiseWarning)
    counted = samples if to_score is None else replace(samples, weight=np.ones(len(samples)))
    family, scorer = model._scorer(X[rows], counted, family, model.steering_)
    if isinstance(scorer, HeldOutScorer):
        model.scorer_ = scorer.scorer
    if to_score is not None:
        scorer.route(*to_score.of(rows))
    others = {
        name: model._scorer(X[rows], samples, family, score)
        for name, score in scores_by_name(model.scoring).items()
        if name != model.refit
    }
    needs_all = model.steering_ is not None
    cv = folds_of(
        *(model.cv, X, model._targets(y), weight, prepared.distinct, me),
        strata=family.strata(y),
        params=routed.split,
        random_state=seed,
        needs_all_classes=needs_all,
    )
    folds = assign_folds(samples, cv, family, context, random_state=seed, needs_all_classes=needs_all)
    settings = {"tol": model.tol, "max_iter": model.max_iter, "n_jobs": model.n_jobs}
    family = family.for_rows(samples, folds.rows, seed)
    values, runner = model._values(family), _runner(model)
    validator = CrossValidator(
        samples, folds, family, scorer, context, runner, settings, values, seed, others
    )
    if frame is not None:
        table = by_column(frame, model.encoder_)
        return validator, prepared, [*_leaks(model, table, y), *findings_of_table(frame, model.encoder_)]
    return validator, prepared, [] if prepared.is_gram else _leaks(model, X, y)


def encode_table(model: Any, table: Table, weight: np.ndarray, context: FitContext) -> np.ndarray:
    """Learn how a table becomes features, unless that is known, and return these, (n_samples, n_features)."""
    model.encoder_ = learn_encoder(table, weight) if context.encoder is None else context.encoder
    if table.feature_names is not None:
        model.feature_names_in_ = table.feature_names
    return model.encoder_.transform(table)


def name_features(model: Any, X: Any, context: FitContext) -> None:
    """Give a model the names that the context of its fit has for the features, if it has some."""
    if context.feature_names is None:
        return
    if len(context.feature_names) != X.shape[1]:
        given = count(len(context.feature_names), "name was", "names were")
        raise ValueError(f"{given} given for {count(X.shape[1], 'feature')}.")
    model.feature_names_in_ = np.array(context.feature_names, dtype=object)


def _leaks(model: Any, X: Any, y: np.ndarray) -> list[Finding]:
    """Columns of the user's own rows that look like a leak; labels of outliers are no target."""
    if is_outlier_detector(model):
        return []
    names = getattr(model, "feature_names_in_", [f"column {k}" for k in range(X.shape[1])])
    shown = [repr(name) if hasattr(model, "feature_names_in_") else name for name in names]
    return column_findings(X, y, shown, is_classes=is_classifier(model))


def _runner(model: Any) -> Any:
    """Where paths are run."""
    if model.backend is None:
        return Here
    from kernelwise.distributed.dask_runner import OnDask

    return OnDask
