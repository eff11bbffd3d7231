"""A score that does not know of the class weights lets a search undo them."""

from __future__ import annotations

from kernelwise.findings import Finding
from kernelwise.search.engine.validator import CrossValidator

#: Factors of the classes that differ by less than this share are equal.
EQUAL = 1e-9


def has_class_weights(validator: CrossValidator) -> bool:
    """Whether rows of different classes count differently in training."""
    factor = validator.samples.bound / validator.samples.weight
    return bool(factor.max() > (1.0 + EQUAL) * factor.min())


def weights_undone(validator: CrossValidator) -> list[Finding]:
    """A finding if classes have different weights, and the search maximised the share of right labels."""
    if not validator.scorer.is_share or not has_class_weights(validator):
        return []
    message = (
        "The classes have different weights, but the search maximised accuracy, which counts all rows "
        "equally. It may have chosen a kernel and C that undo the weights."
    )
    advice, option = "Use scoring='balanced_accuracy'.", "Use --scoring balanced_accuracy."
    return [Finding("weights undone", "warning", message, advice, option)]
