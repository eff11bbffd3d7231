"""Text of many words, and words of many kinds: their groups of letters, reduced to a few features."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from kernelwise.tables.column import COLUMN_KINDS, MAX_WORDS, Column
from kernelwise.tables.problems import WORTH_KEEPING, names_rows
from kernelwise.tables.table import is_missing, is_words

#: Features that the groups of letters are reduced to, at most, and how many groups there are, at most.
N_FEATURES, MOST_GROUPS = 10, 2000
#: Letters of a group.
LETTERS = (2, 4)
#: Words of a cell from which on it is text, on average.
MANY_WORDS = 2.0
#: Fewer different texts than this say nothing.
MIN_TEXTS = 30


@dataclass(frozen=True)
class Text(Column):
    """A column of text, or of words of many kinds.

    The most frequent words have features of their own, as in any column of words. The others, and text of
    many words, become the first directions in which their groups of letters differ.

    Attributes
    ----------
    groups : tuple of str
        Of letters, the features of `sklearn.feature_extraction.text.TfidfVectorizer`.
    rarity : ndarray of shape (n_groups,)
        How rare each of them is: its inverse document frequency.
    directions : ndarray of shape (n_directions, n_groups)
    """

    groups: tuple[str, ...] = ()
    rarity: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False, compare=False)
    directions: np.ndarray = field(default_factory=lambda: np.empty((0, 0)), repr=False, compare=False)

    noun = "text"

    @property
    def features(self) -> tuple[tuple[str, str], ...]:
        """Kind and name of each feature; all are of the kind "word", so that the column weighs like one."""
        directions = [("word", f"{self.name}: letters {k + 1}") for k in range(len(self.directions))]
        return (*(Column.features.fget(self)[: self._n_plain]), *directions)  # type: ignore[attr-defined]

    @property
    def _n_plain(self) -> int:
        """Features of words and gaps; those of text do not say that it is none of the frequent words."""
        return len(self.words) + self.has_gaps + bool(self.words)

    def transform(self, column: np.ndarray) -> np.ndarray:
        """The features, of shape (n_rows, n_features)."""
        known = {None, *self.words}
        texts = ["" if cell in known else cell for cell in column]
        vectorizer = _vectorizer(vocabulary=list(self.groups))
        vectorizer.idf_ = self.rarity
        of_letters = vectorizer.transform(texts) @ self.directions.T
        return np.hstack([_plain(self).transform(column)[:, : self._n_plain], of_letters])


def _plain(column: Text) -> Column:
    return Column(**{one.name: getattr(column, one.name) for one in fields(Column)})


def learn_text(column: Column, cells: np.ndarray) -> Column:
    """The column of words with the groups of letters of its other words; as it is if these differ little."""
    known = {None, *column.words}
    # Each once and in order: neither the order of the rows nor copies of them change the features.
    texts = sorted({cell for cell in cells if cell not in known})
    if len(texts) < MIN_TEXTS:
        return column
    vectorizer = _vectorizer(max_features=MOST_GROUPS, min_df=2)
    try:
        found = vectorizer.fit_transform(texts)
    except ValueError:  # no group occurs twice
        return column
    n_directions = min(N_FEATURES, found.shape[1] - 1, len(texts) - 1)
    if n_directions < 1:
        return column
    svd = TruncatedSVD(n_directions, random_state=0).fit(found)
    plain = {one.name: getattr(column, one.name) for one in fields(Column)}
    groups = tuple(map(str, vectorizer.get_feature_names_out()))
    return Text(
        **{**plain, "is_pooled": True}, groups=groups, rarity=vectorizer.idf_, directions=svd.components_
    )


def is_text(cells: np.ndarray) -> bool:
    """Whether a column that has another word in nearly every row has several words in its cells."""
    present = cells[~is_missing(cells)].tolist()
    n_words = sum(len(cell.split()) for cell in present)
    return names_rows(cells, MIN_TEXTS) and n_words >= MANY_WORDS * len(present)


def has_many_kinds(cells: np.ndarray) -> bool:
    """Whether the most frequent words are in a minor part of the rows."""
    if not is_words(cells):
        return False
    counts = Counter(cells[~is_missing(cells)].tolist())
    n_kept = sum(n for _, n in counts.most_common(MAX_WORDS))
    return len(counts) >= MAX_WORDS + MIN_TEXTS and n_kept < WORTH_KEEPING * counts.total()


def _vectorizer(**settings: Any) -> TfidfVectorizer:
    return TfidfVectorizer(analyzer="char_wb", ngram_range=LETTERS, sublinear_tf=True, **settings)


COLUMN_KINDS["U"] = Text
