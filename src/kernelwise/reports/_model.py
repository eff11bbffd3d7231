"""Whether there is something to report about a model."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from kernelwise.estimators.tuned import TunedMachine


def check_tuned(model: Any) -> None:
    """Raise unless the model is a fitted `TunedSVC` or `TunedSVR`."""
    if not isinstance(model, TunedMachine):
        raise TypeError(f"Reports and displays need a fitted TunedSVC or TunedSVR, got {model!r}.")
    check_is_fitted(model, "result_")
