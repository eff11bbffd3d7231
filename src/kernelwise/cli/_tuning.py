"""From the options of ``kernelwise tune`` to an estimator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer_names

from kernelwise.cli.errors import UserError
from kernelwise.estimators import TunedSVC, TunedSVR
from kernelwise.optimizers import OPTIMIZERS
from kernelwise.search.families import Regression
from kernelwise.search.scores import is_of_numbers
from kernelwise.search.settings import check_settings

SCALES: dict[str, str | None] = {"standard": "standard", "minmax": "minmax", "none": None}
#: Values of C that --log2c may ask for, at most.
MAX_CS = 1000


def make_model(task: str, options: dict[str, Any]) -> TunedSVC | TunedSVR:
    """The estimator that the options describe; what cannot be right is refused before a file is read."""
    class_weight, search, log2c = (options[name] for name in ("class_weight", "search", "log2c"))
    parameters: dict[str, Any] = {
        "kernel": options["kernel"],
        "criterion": options["criterion"],
        "search": None if search is None else _chosen("--search", search, OPTIMIZERS),
        "Cs": None if log2c is None else values_of_C(log2c),
        "cv": _folds(options["cv"]),
        "scoring": _scoring(options["scoring"], task),
        "scale": SCALES[_chosen("--scale", options["scale"], SCALES)],
        "time_budget": options["time_budget"],
        "n_jobs": options["n_jobs"],
        "random_state": options["seed"],
    }
    if options["kernel"] == "precomputed":
        raise UserError("--kernel precomputed needs a Gram matrix, not samples. Use TunedSVC in Python.")
    if options["n_jobs"] == 0:
        raise UserError("--n-jobs must be a number of threads, or -1 for all, got 0.")
    model: TunedSVC | TunedSVR
    if task == "classification":
        if class_weight is not None:
            _chosen("--class-weight", class_weight, ["balanced"])
        model = TunedSVC(**parameters, class_weight=class_weight)
    elif class_weight is not None:
        raise UserError("--class-weight has no meaning for a regression. Leave it out.")
    else:
        Regression().criterion(parameters["criterion"])
        model = TunedSVR(**parameters)
    check_settings(model)
    return model


def _scoring(name: str | None, task: str) -> str | None:
    if name is None:
        return None
    if name not in get_scorer_names():
        raise UserError(f"--scoring {name} is not one of scikit-learn's scores, such as accuracy, f1 or r2.")
    if is_of_numbers(name) != (task == "regression"):
        raise UserError(f"--scoring {name} is not for a {task}. Name another score, or another --task.")
    return name


def values_of_C(text: str) -> list[float]:
    """2 to the powers of LIBSVM's begin,end,step."""
    try:
        begin, end, step = (float(part) for part in text.split(","))
        count = (end - begin) / step
    except (ValueError, ZeroDivisionError) as error:
        raise UserError(
            f"--log2c {text} is not begin,end,step with a step that is not 0, such as -5,15,2."
        ) from error
    if not (0 <= count < MAX_CS and max(abs(begin), abs(end)) <= 100):
        raise UserError(
            f"--log2c {text} must lead from begin to end, within -100 and 100, in at most {MAX_CS} steps."
        )
    powers = begin + step * np.arange(int(count + 1e-9) + 1)
    return [float(C) for C in 2.0**powers]


def _folds(text: str) -> str | int:
    if text == "auto":
        return text
    if not text.isdecimal() or int(text) < 2:
        raise UserError(f"--cv must be a number of folds, at least 2, or auto, got {text!r}.")
    return int(text)


def _chosen(option: str, value: str, choices: Iterable[str]) -> str:
    if value not in choices:
        raise UserError(f"{option} must be one of {', '.join(choices)}, got {value!r}.")
    return value
