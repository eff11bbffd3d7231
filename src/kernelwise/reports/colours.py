"""The colours of all figures, of reports and of studies."""

from __future__ import annotations

#: Okabe and Ito's colours, which colour-blind readers can tell apart, and three more for many classes.
PALETTE = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#6b6b6b",
    "#332288",
    "#882255",
    "#999933",
)
INK, MUTED, RULE, FAINT = "#1f2a33", "#5c6873", "#dfe4e8", "#c3cbd2"


def colour(k: int) -> str:
    """The colour of the k-th class or curve."""
    return PALETTE[k % len(PALETTE)]
