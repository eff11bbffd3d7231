"""What is explained of a model: its outputs as linear functions of the values of its two-class machines."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_outlier_detector

from kernelwise._core.validation import check_choice
from kernelwise.multiclass import two_class_machines

CLASSIFIER_OUTPUTS = ("decision", "probability-log-odds")
REGRESSOR_OUTPUTS = ("prediction",)
ONE_CLASS_OUTPUTS = ("decision",)


class Outputs(NamedTuple):
    """Outputs o = values @ weights + offset of machine values of shape (n_rows, n_machines).

    ``names`` has a name for each output; one output of two classes or a regression has the empty one.
    """

    weights: np.ndarray
    offset: np.ndarray
    names: tuple[str, ...]


def choices_of(model: Any) -> tuple[str, ...]:
    """What can be explained of a model, the usual output first."""
    if hasattr(model, "classes_"):
        return CLASSIFIER_OUTPUTS
    return ONE_CLASS_OUTPUTS if is_outlier_detector(model) else REGRESSOR_OUTPUTS


def outputs_of(model: Any, output: str | None) -> Outputs:
    """The outputs that ``output``, one of `choices_of`, asks for; None is the first of them."""
    choices = choices_of(model)
    output = choices[0] if output is None else output
    check_choice(output, "output", "explain", choices)
    if not hasattr(model, "classes_"):
        return Outputs(np.ones((1, 1)), np.zeros(1), ("",))
    n_machines = model.n_machines_
    slope, offset = np.ones(n_machines), np.zeros(n_machines)
    if output == "probability-log-odds":
        sigmoids = model.sigmoids_
        if sigmoids is None:
            raise ValueError(
                "output='probability-log-odds' of explain needs a model with probabilities. Train TunedSVC, "
                "or SVC with probability=True, or use output='decision'."
            )
        slope, offset = -sigmoids.T
    classes = model.classes_.tolist()
    if len(classes) == 2:
        return Outputs(slope[:, None], offset, ("",))
    to_class = _to_classes(len(classes), model.machines_)
    return Outputs(slope[:, None] * to_class, offset @ to_class, tuple(map(str, classes)))


def _to_classes(n_classes: int, strategy: str) -> np.ndarray:
    """Weights of shape (n_machines, n_classes): a class has its machine's value, or the mean of its pairs."""
    machines = two_class_machines(np.arange(n_classes), n_classes, strategy)
    weights = np.zeros((len(machines), n_classes))
    for m, machine in enumerate(machines):
        if strategy == "ovr":
            weights[m, machine.members[machine.signs > 0]] = 1.0
        else:
            weights[m, machine.members] = machine.signs / (n_classes - 1.0)
    return weights
