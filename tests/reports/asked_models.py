"""Models of all kinds that a page answers for, each with 500 rows that no training row is like."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from kernelwise import TunedOneClassSVM, TunedSVC, TunedSVR
from kernelwise.kernels import RBF, KernelSum, Laplacian, Polynomial

N_ASKED = 500
SPEED = {"Cs": [1.0, 10.0], "cv": 3}


class Asked(NamedTuple):
    """A fitted model and new rows."""

    model: Any
    rows: Any


def _numbers(n_classes: int, n: int = 150, d: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(n_classes)
    y = np.arange(n) % max(n_classes, 1)
    X = random.normal(size=(n, d)) * [1.0, 100.0, 1e-3, 1.0, 5.0] + 1.5 * (y[:, None] == np.arange(d))
    span = np.ptp(X, axis=0)
    return X, y, random.uniform(X.min(axis=0) - 0.2 * span, X.max(axis=0) + 0.2 * span, size=(N_ASKED, d))


def mixed_rows(n: int, seed: int, is_new: bool = False) -> pd.DataFrame:
    """Numbers with gaps, whole numbers, words with gaps, many words, days, moments and text."""
    random = np.random.default_rng(seed)
    day = np.datetime64("2019-03-01") + random.integers(0, 1500, n).astype("timedelta64[D]")
    moment = np.datetime64("2021-01-01T00:00") + random.integers(0, 500_000, n).astype("timedelta64[m]")
    towns = ["Ulm", "Bonn", "Köln", "Gera"] + (["Rom"] if is_new else [])
    kinds = [f"kind {k}" for k in range(26)]
    said = ["Der Zug", "war", "zu spät", "und", "VOLL", "leider", "sehr", "I", "ok!"]
    frame = pd.DataFrame(
        {
            "size": random.normal(20.0, 5.0, n),
            "children": random.integers(0, 5, n).astype(float),
            "town": random.choice(towns, n).astype(object),
            "kind": random.choice(kinds, n, p=np.arange(26, 0, -1) / 351.0).astype(object),
            "day": day.astype("datetime64[s]"),
            "moment": moment.astype("datetime64[s]"),
            "remark": [" ".join(random.choice(said, 9)) for _ in range(n)],
        }
    )
    for name in ("size", "town", "day", "remark"):
        frame.loc[random.random(n) < 0.15, name] = None
    return frame


def _kernel_of_four() -> KernelSum:
    return KernelSum([RBF(0.05), RBF(0.4), Laplacian(0.2), Laplacian(0.8)], weights=[0.4, 0.3, 0.2, 0.1])


@cache
def asked(name: str) -> Asked:
    """One of the models, by name."""
    if name in ("words", "words of one class", "words of numbers"):
        frame = mixed_rows(200, 1)
        score = frame["size"].fillna(20.0) + 4.0 * (frame["town"] == "Ulm") + 2.0 * frame["children"]
        score += 9.0 * frame["day"].dt.month.isin([5, 6, 7, 8]) + 0.5 * frame["moment"].dt.hour
        score += 3.0 * frame["remark"].fillna("").str.count("VOLL")
        rows = mixed_rows(N_ASKED, 2, is_new=True)
        if name == "words":
            return Asked(TunedSVC("rbf", **SPEED).fit(frame, np.where(score > 36.0, "high", "low")), rows)
        if name == "words of numbers":
            return Asked(TunedSVR("laplacian", **SPEED).fit(frame, score.to_numpy()), rows)
        return Asked(TunedOneClassSVM(cv=3).fit(frame), rows)
    n_classes = 5 if name.startswith("five") else 2
    X, y, rows = _numbers(n_classes)
    if name == "regression":
        return Asked(TunedSVR("rbf", **SPEED).fit(X, X[:, 0] ** 2 + X[:, 3]), rows)
    if name == "logarithms":
        return Asked(TunedSVR("rbf", target_transform="log", **SPEED).fit(X, np.exp(X[:, 0] + X[:, 3])), rows)
    if name == "logarithms of zeros":  # some predictions would be negative
        y = np.where(X[:, 0] > X[:, 0].mean(), np.exp(X[:, 0] + X[:, 3]), 0.0)
        return Asked(TunedSVR("rbf", target_transform="log", **SPEED).fit(X, y), rows)
    if name == "quantiles":
        y = X[:, 0] ** 2 + X[:, 3] + np.random.default_rng(0).normal(size=len(X))
        return Asked(TunedSVR("rbf", quantile=[0.1, 0.6, 0.9], **SPEED).fit(X, y), rows)
    if name == "one class":
        return Asked(TunedOneClassSVM(cv=3).fit(X), rows)
    if name == "one class with labels":
        outliers = X[:12] + 6.0 * X.std(axis=0)
        labels = np.r_[np.ones(len(X)), -np.ones(12)]
        return Asked(TunedOneClassSVM(cv=3).fit(np.vstack([X, outliers]), labels), rows)
    if name == "blend of numbers":
        return Asked(TunedSVR(blend=True, cv=3).fit(X, X[:, 0] ** 2 + X[:, 3]), rows)
    kernel: Any = {
        "blend": ["rbf", "laplacian"],
        "five classes, blend": ["rbf", "laplacian"],
        "four kernels": _kernel_of_four(),
        "five classes, four kernels": _kernel_of_four(),
        "linear": "linear",
        "metric": "gaussian",
        "weights": "diagonal",
        "polynomial": Polynomial(3, 0.2, 1.0),
        "Nyström": "rbf",
    }.get(name, "rbf")
    more: dict[str, Any] = {
        "five classes against the rest": {"multiclass": "ovr"},
        "five classes by votes": {"predict_by": "decision"},
        "five classes with costs": {"costs": np.arange(25.0).reshape(5, 5) * (1 - np.eye(5))},
        "costs": {"costs": np.array([[0.0, 3.0], [1.0, 0.0]])},
        "min and max": {"scale": "minmax"},
        "Nyström": {"solver": "nystroem"},
        "blend": {"blend": True},
        "five classes, blend": {"blend": True},
        "logistic loss": {"loss": "logistic"},
    }.get(name, {})
    return Asked(TunedSVC(kernel, **SPEED, **more).fit(X, y), rows)


NAMED = ("two classes", "five classes", "regression", "one class", "words", "four kernels")
OTHERS = (
    *("words of one class", "words of numbers", "logarithms", "one class with labels", "linear", "metric"),
    *("weights", "polynomial", "Nyström", "five classes against the rest", "five classes by votes"),
    *("five classes with costs", "costs", "min and max", "five classes, four kernels", "quantiles"),
    *("blend", "five classes, blend", "blend of numbers", "logistic loss", "logarithms of zeros"),
)
