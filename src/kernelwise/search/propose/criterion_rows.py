"""The rows of a search in an order that suits a criterion."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.criteria import Criterion, ValidationError, as_criterion
from kernelwise.search.data.samples import Samples


def in_order_for(criterion: Any, part: Samples, random_state: int) -> Samples:
    """Rows in canonical order, shuffled for a criterion that holds some of them out.

    The canonical order goes along a direction. Folds taken from it one after the other would be regions of
    the feature space, so that each machine would have to decide on rows unlike those it has learned.
    """
    criterion = as_criterion(criterion)
    if not criterion.is_held_out:
        return part
    _check_validation(criterion)
    return part[np.random.default_rng(random_state).permutation(len(part))]


def _check_validation(criterion: Criterion) -> None:
    """Refuse rows to hold out that are given by their numbers, or before scaling."""
    if isinstance(criterion, ValidationError) and not isinstance(criterion.validation, float | int):
        raise ValueError(
            "'validation' of ValidationError must be a share such as 0.5 here, because the search scales and "
            "sorts the samples. Use TuningProblem to hold out given rows."
        )
