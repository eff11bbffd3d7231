"""Candidates of a grid, grouped so that those which differ only in C share one path."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from kernelwise._core.text import meant
from kernelwise._core.validation import check_choice, check_positive
from kernelwise.estimators.kernel_argument import (
    SKLEARN_NAMES,
    check_kernel_numbers,
    choose_kernel,
    is_plain_function,
    is_precomputed,
)
from kernelwise.kernels.precomputed import PRECOMPUTED_DISTANCE

DEFAULTS = {"C": 1.0, "gamma": "scale", "degree": 3, "coef0": 0.0}
KEYS = sorted({*DEFAULTS, "kernel", "class_weight"})
# Candidates that differ in a parameter their kernel does not use have one solution.
USED = {
    "rbf": ("gamma",),
    "poly": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
    PRECOMPUTED_DISTANCE: ("gamma",),
}


@dataclass
class Group:
    """Candidates with one kernel and one ``class_weight``: their indices in the grid, and C of each."""

    kernel: Any
    options: dict[str, Any]
    class_weight: Any
    indices: list[int] = field(default_factory=list)
    Cs: list[float] = field(default_factory=list)

    @property
    def depends_on_training(self) -> bool:
        """Whether the kernel takes something from the samples it is trained on."""
        if isinstance(self.kernel, str) and self.kernel in (*SKLEARN_NAMES, PRECOMPUTED_DISTANCE):
            return "gamma" in USED.get(self.kernel, ()) and isinstance(self.options["gamma"], str)
        return not self.is_given

    @property
    def is_given(self) -> bool:
        """Whether the kernel is a function or takes a matrix as it is, and needs no choosing."""
        return is_plain_function(self.kernel) or (
            is_precomputed(self.kernel) and self.kernel != PRECOMPUTED_DISTANCE
        )

    def kernel_on(self, X: Any, y: Any, weight: Any) -> Any:
        """The kernel `SVC` would use with the training samples ``X``, their classes ``y`` and weights."""
        return self.kernel if self.is_given else choose_kernel(self.kernel, X, y, weight, **self.options)

    def __str__(self) -> str:
        used = USED.get(self.kernel, ()) if isinstance(self.kernel, str) else ()
        return " ".join([str(self.kernel), *(f"{name}={self.options[name]}" for name in used)])


def check_grid(grid: Any) -> Any:
    """What scikit-learn's ParameterGrid takes: a dict, or several; raises for anything else."""
    grids = [grid] if isinstance(grid, dict) else grid
    is_list = isinstance(grids, list | tuple) and len(grids) > 0
    if not is_list or not all(isinstance(one, dict) for one in grids):
        raise ValueError(
            "'param_grid' of GridSearchSVC must be a dict from parameters to lists of values, or a list of "
            f"such dicts, got {grid!r}."
        )
    return grid


def group_candidates(candidates: Iterable[dict[str, Any]], kernel: Any, class_weight: Any) -> list[Group]:
    """Group the candidates of a grid, in the order in which the groups first appear.

    A candidate has keys among ``KEYS``; what is missing has scikit-learn's default, but for the kernel and
    the class weight given here.
    """
    groups: dict[Hashable, Group] = {}
    for index, params in enumerate(candidates):
        unknown = sorted(set(params) - set(KEYS))
        if unknown:
            plain = unknown[0].rpartition("__")[2]
            advice = meant(unknown[0], KEYS).strip() or "Pass other settings to its constructor."
            if plain in KEYS:  # "svc__C", as for a Pipeline
                advice = (
                    f"Write {plain!r}: there is no Pipeline around the SVC (scaler= scales the features)."
                )
            raise ValueError(
                f"GridSearchSVC cannot search over {unknown[0]!r}, only over {', '.join(KEYS)}. {advice}"
            )
        options = {**DEFAULTS, "kernel": kernel, "class_weight": class_weight, **params}
        C, chosen, weights = (options.pop(name) for name in ("C", "kernel", "class_weight"))
        check_positive(C, "C", "GridSearchSVC")
        check_kernel_numbers(**options, owner="GridSearchSVC")
        if not isinstance(weights, dict) and weights is not None:
            check_choice(weights, "class_weight", "GridSearchSVC", ("balanced",))
        by_name = isinstance(chosen, str)
        used = tuple(options[name] for name in USED.get(chosen, ())) if by_name else ()
        key = chosen if by_name else id(chosen), used, id(weights) if isinstance(weights, dict) else weights
        if key not in groups:
            groups[key] = Group(chosen, options, weights)
            if not groups[key].depends_on_training:
                groups[key].kernel_on(None, None, None)  # refuse a bad parameter before any work
        groups[key].indices.append(index)
        groups[key].Cs.append(float(C))
    return list(groups.values())
