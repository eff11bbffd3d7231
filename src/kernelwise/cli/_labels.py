"""Labels of unusual rows in a file, as `TunedOneClassSVM` takes them: 1 usual, −1 unusual, 0 unknown."""

from __future__ import annotations

from collections import Counter

import numpy as np

from kernelwise.cli._choices import check_choice
from kernelwise.cli.errors import UserError

#: Labels that say by themselves which rows are unusual; compared without capitals.
UNUSUAL = (
    "-1",
    "-1.0",
    "outlier",
    "anomaly",
    "anomalous",
    "abnormal",
    "unusual",
    "fraud",
    "novelty",
    "true",
    "yes",
)

#: Unusual rows are at most this share of the usual ones, or the rarer of two labels may mean either.
RARE = 1 / 3


def unusual_labels(cells: np.ndarray, outlier: str | None, source: str) -> tuple[np.ndarray, str]:
    """Labels of the rows, shape (n_rows,), and a sentence on what they were taken for.

    ``cells`` are texts of shape (n_rows,), empty where nothing is known; ``outlier`` is the text of unusual
    rows. Without it, it is the text that says so, or else the rarer of two, if it is much rarer:
    those who label a few rows by hand often label the unusual ones.
    """
    counts = Counter(cell for cell in cells.tolist() if cell)
    if not counts:
        raise UserError(f"{source}: the column of --labels is empty. Leave out --labels.")
    if outlier is None:
        outlier, why = _find(counts, source)
    else:
        check_choice("--outlier", outlier, list(counts))
        why = "as set by --outlier"
    labels = np.where(cells == outlier, -1, np.where(cells == "", 0, 1))
    n_unknown = int((labels == 0).sum())
    unknown = f" and {n_unknown} have no label" if n_unknown else ""
    n_unusual, n_usual = int((labels == -1).sum()), int((labels == 1).sum())
    if not n_usual + n_unknown:
        raise UserError(f"{source}: all rows are labelled as unusual. Leave out --labels.")
    verb = "row labelled {!r} counts" if n_unusual == 1 else "rows labelled {!r} count"
    sentence = f"{n_unusual} {verb.format(outlier)} as unusual, {why}; {n_usual} are usual"
    return labels, f"{sentence}{unknown}."


def _find(counts: Counter[str], source: str) -> tuple[str, str]:
    """The label of unusual rows, and why it was taken."""
    said = [label for label in counts if label.lower() in UNUSUAL]
    if len(said) == 1:
        return said[0], "because of its name"
    if len(counts) == 2:
        (usual, n_usual), (rare, n_rare) = counts.most_common()
        if n_rare <= RARE * n_usual:
            return rare, f"because it is rarer than {usual!r}"
    shown = ", ".join(map(repr, sorted(counts)[:8]))
    raise UserError(
        f"{source}: kernelwise cannot tell which label marks unusual rows. Set it with --outlier: {shown}."
    )
