"""Random parameters of the estimators, sound and broken."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, ShuffleSplit, StratifiedKFold
from sklearn.preprocessing import MinMaxScaler, Normalizer, RobustScaler

from kernelwise import kernels, optimizers

#: What no parameter takes.
ODD: list[Any] = [None, "x", "", -1, 0, 1.5, np.nan, np.inf, [], {}, (1, 2), True, b"a", object(), 1j]
KERNELS: list[Any] = [*kernels.KERNELS, "precomputed", "precomputed-distance"]
KERNEL_OBJECTS: list[Any] = [
    kernels.RBF(0.5),
    kernels.RBF(1e-300),
    kernels.RBF(1e300),
    kernels.Polynomial(2),
    kernels.Polynomial(9, 100.0),
    kernels.Polynomial(3, 1e-200),
    kernels.Sigmoid(1.0, -1.0),
    kernels.KMOD(1.0, 1e-4),
    kernels.KMOD(1e90, 1e-3),
    kernels.ExponentialRBF(2.0),
    kernels.DiagonalGaussian([1.0, 2.0]),
    kernels.Mahalanobis(),
    kernels.Linear(),
]
_COMMON: dict[str, list[Any]] = {
    "tol": [1e-3, 1e-6, 1e-12, 1.0, 1e10],
    "max_iter": [-1, 1, 5, 100, np.int64(50), 0, -7],
    "memory_limit": [4096, 1, 0.001],
    "C": [1.0, 1e-10, 1e10, 1e100, 1e-300, 1e300, np.float32(2.0), np.int64(3)],
    "n_jobs": [None, 1, 2, -1],
    "verbose": [0, False],
    "random_state": [0, 1, np.random.RandomState(0), 2**32 - 1, 2**40],
    "multiclass": ["ovo", "ovr", "ovr-fuzzy", "ovo-reject"],
    "decision_function_shape": ["ovr", "ovo"],
    "class_weight": [None, "balanced", {0: 2.0}, {0: 1.0, 1: 1e-200}, {7: 1.0}, {0: -1.0}],
    "reject_label": [None, -1, "none", 0],
    "probability": [True, False],
    "kernel": [*KERNELS, *KERNEL_OBJECTS, "auto"],
}
_EPSILON: list[Any] = [0.1, 0.0, 1e-300, 1e300]
_NU: list[Any] = [0.5, 0.1, 1.0, 1e-300, 0.999999, 0.0, 2.0, "auto"]
_TUNED: dict[str, list[Any]] = {
    **{name: _COMMON[name] for name in ("tol", "max_iter", "memory_limit", "n_jobs", "verbose")},
    "random_state": _COMMON["random_state"],
    "kernel": [*KERNELS, *KERNEL_OBJECTS, "auto"],
    "criterion": ["auto", "kta", "dbtc", "esdr", "cv-error", "validation-error", "radius-margin", "nothing"],
    "search": [None, "grid", "quasi-newton", optimizers.LineSearch(), "hill"],
    "Cs": [None, [1.0], [1.0, 10.0], [1e-10, 1e10], [1e300], [], ["a"], [0.0], 1.0, np.ones((2, 2))],
    "cv": ["auto", 2, 3, 10, 100, KFold(3), LeaveOneOut(), ShuffleSplit(2), GroupKFold(2), [], [([0], [1])]],
    "scoring": [None, "accuracy", "balanced_accuracy", "roc_auc", "f1", "f1_macro", "r2", "neg_log_loss"],
    "refit": [True, False, "one-standard-error"],
    "scale": ["standard", "minmax", None, MinMaxScaler(), RobustScaler(), Normalizer(), "robust"],
    "solver": ["auto", "exact", "nystroem"],
    "time_budget": [None, 0.05, 1.0, 1e-9],
}
PARAMETERS: dict[str, dict[str, list[Any]]] = {
    "SVC": {
        **_COMMON,
        "gamma": ["scale", "auto", 0.5, 1e-300, 1e300, np.float32(0.1)],
        "degree": [3, 2, 9, 1.5, np.int64(2), 200],
        "coef0": [0.0, 1.0, 1e200, -1.0],
        "break_ties": [False, True],
        "warm_start": [False, True],
        "shrinking": [True, False],
    },
    "SVR": {
        **{name: _COMMON[name] for name in ("kernel", "C", "tol", "max_iter", "memory_limit")},
        "epsilon": _EPSILON,
    },
    "TunedSVC": {
        **_TUNED,
        **{name: _COMMON[name] for name in ("multiclass", "reject_label", "class_weight")},
        "decision_function_shape": _COMMON["decision_function_shape"],
    },
    "TunedSVR": {**_TUNED, "epsilons": [None, [0.1], [0.0, 0.5], [], [-1.0], ["a"], 0.2]},
    "GridSearchSVC": {
        "param_grid": [
            {"C": [1.0, 10.0]},
            {"C": [1.0], "gamma": [0.1, "scale", 1e300]},
            [{"kernel": ["linear"], "C": [1.0]}, {"kernel": ["poly"], "degree": [2, 3]}],
            {"kernel": ["rbf", "sigmoid"], "coef0": [0.0, 1.0]},
            {"class_weight": [None, "balanced"]},
            {"C": [-1.0]},
            {"C": ["a"]},
            {"C": []},
            {"C": 1.0},
            {"nu": [0.5]},
            {},
            [],
        ],
        "kernel": _COMMON["kernel"],
        "scaler": [None, "standard", "minmax", MinMaxScaler(), "robust"],
        "scaling": ["per-fold", "shared"],
        "cv": [None, 2, 3, KFold(3), StratifiedKFold(4), LeaveOneOut(), ShuffleSplit(2), [], [([0], [1])], 1],
        "scoring": [None, "accuracy", "roc_auc", ["accuracy", "f1_macro"], {}, "r2", "neg_log_loss"],
        "refit": [True, False, "accuracy"],
        "error_score": [np.nan, 0.0, "raise"],
        "return_train_score": [False, True],
        **{name: _COMMON[name] for name in ("tol", "max_iter", "memory_limit", "n_jobs", "verbose")},
        **{name: _COMMON[name] for name in ("multiclass", "reject_label", "class_weight")},
    },
    "NystroemSVC": {
        **{name: _COMMON[name] for name in ("kernel", "memory_limit", "random_state", "multiclass")},
        **{name: _COMMON[name] for name in ("class_weight", "reject_label", "decision_function_shape")},
        "C": ["auto", 1.0, 1e10, 1e300, 1e-300],
        "n_components": ["auto", 5, 1, 1000, np.int64(3)],
    },
    "NystroemSVR": {
        **{name: _COMMON[name] for name in ("kernel", "memory_limit", "random_state")},
        "epsilon": _EPSILON,
        "C": ["auto", 1.0, 1e10, 1e300, 1e-300],
        "n_components": ["auto", 5, 1, 1000],
    },
    "OneClassSVM": {
        **{name: _COMMON[name] for name in ("kernel", "tol", "max_iter", "memory_limit")},
        "nu": _NU,
        "gamma": ["scale", "auto", 0.5, 1e-300, 1e300, np.float32(0.1)],
        "degree": [3, 2, 9, 1.5, np.int64(2), 200],
        "coef0": [0.0, 1.0, 1e200, -1.0],
    },
    "NystroemOneClassSVM": {
        **{name: _COMMON[name] for name in ("kernel", "tol", "max_iter", "memory_limit", "random_state")},
        "nu": _NU,
        "n_components": ["auto", 5, 1, 1000],
    },
    "MetricTransformer": {
        "kernel": ["diagonal", "gaussian", "low-rank", "rbf"],
        "criterion": ["centered-kta", "kta", "dbtc", "esdr", "validation-error", "cv-error"],
        "starts": [(1, 2), (1,), [], [0.0], ["a"], 1.0, [-1], [1e300]],
        "optimizer": [None, optimizers.GradientDescent(), "grid", optimizers.LineSearch()],
        "method": ["criterion", "gradient"],
        "task": ["auto", "classification", "regression"],
        "rank": [2, 1, 0, 100, 1.5],
        "standardize": [True, False],
        "validation_fraction": [None, 0.3, 0.0, 1.0, 0.99],
        "n_directions": [3, 1, 0, 100, -1],
        "random_state": _COMMON["random_state"],
    },
}
#: What keeps a fit of a search short, unless it is drawn otherwise.
QUICK: dict[str, dict[str, Any]] = {
    "GridSearchSVC": {"param_grid": {"C": [0.1, 1.0, 10.0]}, "cv": 3},
    "TunedSVC": {},
    "TunedSVR": {},
    "MetricTransformer": {"starts": (1.0, 5.0)},
}


def draw_parameters(name: str, random: np.random.Generator) -> dict[str, Any]:
    """Some parameters of an estimator; one in ten is nothing that it takes."""
    known = PARAMETERS[name]
    drawn = dict(QUICK.get(name, {}))
    for key in random.choice(list(known), size=random.integers(0, 4), replace=False):
        values = ODD if random.random() < 0.1 else known[key]
        drawn[str(key)] = values[random.integers(len(values))]
    return drawn
