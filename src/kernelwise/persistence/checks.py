"""Whether the parts of a loaded model fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector

from kernelwise._core.validation import check_number, check_positive
from kernelwise.estimators.kernel_choice import is_precomputed
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES
from kernelwise.tables import Column, Encoder


def check_model(model: Any) -> None:
    """Raise ValueError or AttributeError if a model cannot predict with what it has."""
    if hasattr(model, "feature_names_in_"):
        _check_shapes(model, {"feature_names_in_": (model.n_features_in_,)})
    if _is_machine(model):
        _check_machine(model)
    elif hasattr(model, "scoring"):
        _check_tuned(model)
    else:
        raise ValueError(f"it holds a {type(model).__name__}, which is not a model")


def _is_machine(model: Any) -> bool:
    """Whether a model is a trained kernel machine, which knows what its arrays must be."""
    return hasattr(model, "fitted_shapes")


def _check_machine(machine: Any) -> None:
    kernel = machine.kernel_
    is_gram = kernel is None or is_precomputed(kernel)
    if not is_gram and not isinstance(kernel, Kernel):
        raise ValueError(f"its kernel is a {type(kernel).__name__}")
    if is_classifier(machine) and machine.multiclass_ not in STRATEGIES:
        raise ValueError(f"it has the unknown strategy {machine.multiclass_!r}")
    shapes = machine.fitted_shapes()
    _check_shapes(machine, shapes)
    if hasattr(machine, "n_support_") and machine.n_support_.sum() != len(machine.support_):
        counted = machine.n_support_.sum()
        raise ValueError(f"'n_support_' counts {counted} support vectors of {len(machine.support_)}")
    for name in ("_beta", "dual_coef_", "intercept_"):
        if name in shapes and not np.isfinite(getattr(machine, name)).all():
            raise ValueError(f"{name!r} of {type(machine).__name__} is not finite")
    if is_gram:
        _check_columns(machine, "support_", machine.n_features_in_)
    else:
        kernel._check_features(machine.n_features_in_)


def _check_tuned(model: Any) -> None:
    for name in model.cv_results_:
        if len(model.cv_results_[name]) != len(model.cv_results_["params"]):
            raise ValueError(f"column {name!r} of 'cv_results_' has {len(model.cv_results_[name])} rows")
    if not hasattr(model, "best_estimator_"):
        return
    machine = model.best_estimator_
    if not _is_machine(machine) or is_classifier(machine) != is_classifier(model):
        raise ValueError(f"'best_estimator_' is a {type(machine).__name__}")
    _check_machine(machine)
    if is_classifier(model):
        if not np.array_equal(model.classes_, machine.classes_):
            raise ValueError("'classes_' differs from that of 'best_estimator_'")
        _check_shapes(model, {"_sigmoids": (machine.n_machines_, 2)})
        for owner in (model, machine):
            if owner.costs_ is not None:
                _check_shapes(owner, {"costs_": (len(model.classes_), len(model.classes_))})
    elif is_outlier_detector(model):
        _check_tail(model)
    else:
        check_number(model.target_mean_, "target_mean_", type(model).__name__)
        check_positive(model.target_scale_, "target_scale_", type(model).__name__)
    if is_precomputed(model.kernel):
        _check_shapes(model, {"_gram_columns": (machine.n_features_in_,)})
        _check_columns(model, "_gram_columns", model.n_features_in_)
        return
    n_features = model.n_features_in_
    if hasattr(model, "encoder_"):
        n_features = _check_encoder(model.encoder_, n_features)
    if n_features != machine.n_features_in_:
        raise ValueError(f"it has {n_features} features, and its machine {machine.n_features_in_}")
    if model.scaler_ is not None:
        _check_scaler(model.scaler_, n_features)


def _check_tail(model: Any) -> None:
    """What thresholds and probabilities of a one-class model go by."""
    check_number(model.threshold_, "threshold_", type(model).__name__)
    check_positive(model._tail_scale, "_tail_scale", type(model).__name__)
    _check_shapes(model, {"_tail_share": np.shape(model._tail_strangeness)})
    if hasattr(model, "_sigmoid"):
        _check_shapes(model, {"_sigmoid": (2,)})


def _check_encoder(encoder: Any, n_columns: int) -> int:
    """The number of features that the columns become."""
    if not isinstance(encoder, Encoder) or not all(isinstance(one, Column) for one in encoder.columns):
        raise ValueError("'encoder_' is none")
    if encoder.n_columns != n_columns:
        raise ValueError(f"it has {n_columns} columns, and its encoder {encoder.n_columns}")
    for column in encoder.columns:
        if not all(isinstance(word, str) for word in column.words):
            raise ValueError(f"column {column.name!r} has words that are not text")
        if column.dtype == "f":
            check_number(column.fill, "fill", "Column")
    return encoder.n_features


def _check_scaler(scaler: Any, n_features: int) -> None:
    lists: dict[str, tuple[int, ...]] = {
        name: (n_features,) for name, value in vars(scaler).items() if np.ndim(value) > 0
    }
    lists.pop("feature_range", None)
    _check_shapes(scaler, lists)
    scaler.transform(np.zeros((1, n_features)))


def _check_shapes(owner: Any, shapes: dict[str, tuple[int, ...]]) -> None:
    for name, expected in shapes.items():
        shape = np.shape(getattr(owner, name))
        if shape != expected:
            raise ValueError(f"{name!r} of {type(owner).__name__} has shape {shape}, expected {expected}")


def _check_columns(owner: Any, name: str, n_columns: int) -> None:
    columns = getattr(owner, name)
    if columns.size and not 0 <= columns.min() <= columns.max() < n_columns:
        raise ValueError(f"{name!r} of {type(owner).__name__} names columns beyond {n_columns}")
