"""Paper 002 (Glasmachers 2006): what the closest pair of points does to criteria, and how often that matters.

"patterns" has the curves for both label patterns of the closest pair, "theorems" counts how often lemma 1 and
theorems 2 and 3 hold on random points, "halves" how often the closest pair of a random half of a real set has
different labels. "optima" counts local optima on real sets and follows several starts, "pairs" counts those
of points made for it, and "practice" has the rates of machines that two criteria choose. The paper has no
tables and no figures: all of these are ours, and "claims" says what they show of its claims.
"""

from __future__ import annotations

from functools import partial

from kernelwise.studies.claims import add_claims, read_claims
from kernelwise.studies.glasmachers import rules
from kernelwise.studies.glasmachers.closest_pair import patterns, theorems
from kernelwise.studies.glasmachers.local_optima import SETS, halves, optima, pairs, practice

TITLE = "Paper 002 (Glasmachers 2006): degeneracy of criteria at narrow widths"
DATA = SETS
QUICK_MEANS = "4 of 13 sets with 80 rows each, 30 random sets of points, 20 halves, 2 splits"
CLAIMS = read_claims(rules)
PARTS = {
    "patterns": patterns,
    "theorems": theorems,
    "halves": halves,
    "optima": optima,
    "pairs": pairs,
    "practice": practice,
    "claims": partial(add_claims, CLAIMS),
}
