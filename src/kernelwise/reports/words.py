"""Numbers, kernels and scores as people write them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from kernelwise._core.text import count
from kernelwise.kernels import Kernel
from kernelwise.search import scores

#: Letters of the papers for names of parameters.
LETTERS = {"gamma": "γ", "delta": "δ", "sigma": "σ", "coef0": "c", "epsilon": "ε"}
#: Names of scores that are not scikit-learn's words with spaces.
SCORE_NAMES = {
    "r2": "R²",
    "f1": "F1",
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC (one against the rest)",
    "roc_auc_ovo": "ROC AUC (pairs of classes)",
    "neg_root_mean_squared_error": "RMSE",
    "neg_mean_absolute_error": "MAE",
}
#: Weights below this share of the largest do not count as kept features.
NEGLIGIBLE = 1e-6


def number(value: float, digits: int = 3) -> str:
    """A number with a few significant digits: 0.0208, 16, 1024, 1.05e-6."""
    if 10**digits <= abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.{digits}g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def kernel_text(kernel: Any) -> str:
    """A kernel with its numbers: RBF, γ = 0.0208."""
    if not isinstance(kernel, Kernel):
        return "Precomputed kernel"
    q = kernel.feature_weights
    if q is not None:
        return f"{kernel.title}, {int((q > NEGLIGIBLE * q.max()).sum())} of {count(len(q), 'feature')}"
    numbers = {k: v for k, v in kernel.get_params().items() if isinstance(v, float | int)}
    return ", ".join([kernel.title, *(f"{LETTERS.get(k, k)} = {number(v)}" for k, v in numbers.items())])


def width_of(kernel: Any) -> float | None:
    """The factor before the squared distance, or γ of other kernels; None where no one number says it."""
    if not isinstance(kernel, Kernel) or kernel.learns_metric:
        return None
    gamma = getattr(kernel, "scale" if kernel.is_gaussian else "gamma", None)
    return float(gamma) if isinstance(gamma, float | int) else None


def score_name(model: Any) -> str:
    """What the cross-validation measured; of the negative of an error, the error."""
    scoring = model.scoring
    if scoring is None:
        return "accuracy" if is_classifier(model) else "R²"
    name = str(scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score"))
    return SCORE_NAMES.get(name, name.removeprefix("neg_").replace("_", " "))


def sign_of(model: Any) -> int:
    """−1 if the score is scikit-learn's negative of an error, else 1."""
    return -1 if isinstance(model.scoring, str) and model.scoring.startswith("neg_") else 1


def is_share(model: Any) -> bool:
    """Whether scores are shares of rows, shown in per cent."""
    return is_classifier(model) and scores.is_share(model.scoring)


def score_text(value: float, share: bool) -> str:
    """97.2 % for a share of rows, 0.972 for other scores."""
    return (f"{100 * value:.1f} %" if share else f"{value:.3f}").replace("-", "−")


def error_text(error: float | None, share: bool) -> str:
    """± with the standard error; empty if there is none."""
    if error is None or not np.isfinite(error):
        return ""
    return f" ± {100 * error:.1f}" if share else f" ± {error:.3f}"


def unbroken(text: str) -> str:
    """Text in which no line ends inside "C = 16", "97 %" or "± 0.6"."""
    for sign in (" = ", " ± ", " %", "± ", " ×"):
        text = text.replace(sign, sign.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def shortened(text: Any, limit: int = 40) -> str:
    """A name that is not too long for its place."""
    text = str(text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def sentence(text: str) -> str:
    """The same with a capital at its beginning."""
    return text[:1].upper() + text[1:]
