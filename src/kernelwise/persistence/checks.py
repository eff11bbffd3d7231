"""Whether the parts of a loaded model fit together."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.validation import check_number, check_positive
from kernelwise.estimators.nystroem_svc import NystroemSVC
from kernelwise.estimators.svc import SVC
from kernelwise.estimators.svr import SVR
from kernelwise.estimators.tuned_svc import TunedSVC
from kernelwise.estimators.tuned_svr import TunedSVR
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES


def check_model(model: Any) -> None:
    """Raise ValueError or AttributeError if a model cannot predict with what it has."""
    if hasattr(model, "feature_names_in_"):
        _check_shapes(model, {"feature_names_in_": (model.n_features_in_,)})
    if isinstance(model, SVC | SVR | NystroemSVC):
        _check_machine(model)
    elif isinstance(model, TunedSVC | TunedSVR):
        _check_tuned(model)
    else:
        raise ValueError(f"it holds a {type(model).__name__}, which is no machine")


def _check_machine(machine: SVC | SVR | NystroemSVC) -> None:
    kernel: Any = machine.kernel_
    is_gram = kernel is None or kernel == "precomputed"
    if not is_gram and not isinstance(kernel, Kernel):
        raise ValueError(f"its kernel is a {type(kernel).__name__}")
    n_support, n_features = len(machine.support_), machine.n_features_in_
    shape = (0, 0) if is_gram else (n_support, n_features)
    _check_shapes(machine, {"support_": (n_support,), "support_vectors_": shape})
    if isinstance(machine, SVC):
        _check_classes(machine, n_support)
    elif isinstance(machine, NystroemSVC):
        _check_landmarks(machine, n_support)
    else:
        _check_shapes(machine, {"dual_coef_": (1, n_support), "intercept_": (1,)})
    for name in ("_beta" if isinstance(machine, SVC) else "dual_coef_", "intercept_"):
        if not np.isfinite(getattr(machine, name)).all():
            raise ValueError(f"{name!r} of {type(machine).__name__} is not finite")
    if is_gram:
        _check_places(machine, "support_", n_features)
    else:
        kernel._check_features(n_features)


def _check_classes(svc: SVC, n_support: int) -> None:
    if svc._strategy not in STRATEGIES:
        raise ValueError(f"it has the unknown strategy {svc._strategy!r}")
    n_machines = _n_machines(svc)
    is_pairwise = svc._trained_as == "ovo"
    n_coefficients = len(svc.classes_) - 1 if is_pairwise else n_machines
    _check_shapes(
        svc,
        {
            "classes_": (len(svc.n_support_),),
            "_beta": (n_machines, n_support),
            "dual_coef_": (n_coefficients, n_support),
            "intercept_": (n_machines,),
            "n_iter_": (n_machines,),
        },
    )
    if svc.n_support_.sum() != n_support:
        raise ValueError(f"'n_support_' counts {svc.n_support_.sum()} support vectors of {n_support}")
    if svc._sigmoids is not None:
        _check_shapes(svc, {"_sigmoids": (n_machines, 2)})


def _check_landmarks(svc: NystroemSVC, n_landmarks: int) -> None:
    if svc._strategy not in STRATEGIES:
        raise ValueError(f"it has the unknown strategy {svc._strategy!r}")
    n_machines = _n_machines(svc)
    shapes = {"dual_coef_": (n_machines, n_landmarks), "intercept_": (n_machines,)}
    _check_shapes(svc, {**shapes, "_sigmoids": (n_machines, 2)})


def _n_machines(svc: SVC | NystroemSVC) -> int:
    n_classes = len(svc.classes_)
    if n_classes == 2:
        return 1
    return n_classes * (n_classes - 1) // 2 if svc._trained_as == "ovo" else n_classes


def _check_tuned(model: TunedSVC | TunedSVR) -> None:
    for name in model.cv_results_:
        if len(model.cv_results_[name]) != len(model.cv_results_["params"]):
            raise ValueError(f"column {name!r} of 'cv_results_' has {len(model.cv_results_[name])} rows")
    if not hasattr(model, "best_estimator_"):
        return
    machine = model.best_estimator_
    if not isinstance(machine, SVC | NystroemSVC if isinstance(model, TunedSVC) else SVR):
        raise ValueError(f"'best_estimator_' is a {type(machine).__name__}")
    _check_machine(machine)
    if isinstance(model, TunedSVC):
        if not np.array_equal(model.classes_, machine.classes_):
            raise ValueError("'classes_' differs from that of 'best_estimator_'")
        _check_shapes(model, {"_sigmoids": (_n_machines(machine), 2)})
    else:
        check_number(model.target_mean_, "target_mean_", "TunedSVR")
        check_positive(model.target_scale_, "target_scale_", "TunedSVR")
    if model._is_gram():
        _check_shapes(model, {"_gram_columns": (machine.n_features_in_,)})
        _check_places(model, "_gram_columns", model.n_features_in_)
        return
    if model.n_features_in_ != machine.n_features_in_:
        raise ValueError(f"it has {model.n_features_in_} features, and its machine {machine.n_features_in_}")
    if model.scaler_ is not None:
        _check_scaler(model.scaler_, model.n_features_in_)


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


def _check_places(owner: Any, name: str, n_columns: int) -> None:
    places = getattr(owner, name)
    if places.size and not 0 <= places.min() <= places.max() < n_columns:
        raise ValueError(f"{name!r} of {type(owner).__name__} names columns beyond {n_columns}")
